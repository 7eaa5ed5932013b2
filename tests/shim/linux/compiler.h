/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in: compiler attributes. */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <stddef.h>

#define __packed		__attribute__((__packed__))
#define __aligned(x)		__attribute__((__aligned__(x)))
#define __must_check		__attribute__((__warn_unused_result__))
#define __maybe_unused		__attribute__((__unused__))
#define __always_unused		__attribute__((__unused__))
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define __cold			__attribute__((__cold__))
#define __pure			__attribute__((__pure__))
#define __no_sanitize_address	__attribute__((no_sanitize("address")))
#define __no_sanitize_undefined	__attribute__((no_sanitize("undefined")))
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#undef __counted_by
#define __counted_by(member)
#define ____cacheline_aligned	__attribute__((__aligned__(64)))
#define __force
#define __rcu
#define __user
#define __iomem
#define __init
#define __exit
#define fallthrough		__attribute__((__fallthrough__))

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" ::: "memory")

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)	\
	do { *(volatile __typeof__(x) *)&(x) = (val); } while (0)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#endif /* SHIM_LINUX_COMPILER_H */
