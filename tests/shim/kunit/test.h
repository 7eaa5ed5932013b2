/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User-space stand-in: the part of KUnit which the suites of tests/kunit use,
 * for the native runner in tests/core/runner.c.
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <linux/module.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#define KUNIT_PARAM_DESC_SIZE 128

struct shim_alloc;

enum kunit_status {
	KUNIT_SUCCESS,
	KUNIT_FAILURE,
	KUNIT_SKIPPED,
};

/**
 * struct kunit - one running test
 * @name: of the case
 * @priv: for the suite
 * @param_value: parameter of this run
 * @status: so far
 * @allocs: memory to be freed behind the test
 */
struct kunit {
	const char *name;
	void *priv;
	const void *param_value;
	enum kunit_status status;
	struct shim_alloc *allocs;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char name[256];
	int (*suite_init)(struct kunit_suite *suite);
	void (*suite_exit)(struct kunit_suite *suite);
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_SLOW(fn)	KUNIT_CASE(fn)
#define KUNIT_CASE_PARAM(fn, gen) \
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
static const void *name##_gen_params(const void *prev, char *desc)	\
{									\
	__typeof__((array)[0]) *next =					\
		prev ? (__typeof__(next))prev + 1 : (array);		\
	void (*desc_fn)(__typeof__(next), char *) = get_desc;		\
									\
	if (next - (array) >= (long)ARRAY_SIZE(array))			\
		return NULL;						\
	if (desc_fn)							\
		desc_fn(next, desc);					\
	return next;							\
}

#define KUNIT_ARRAY_PARAM_DESC(name, array, member)			\
static const void *name##_gen_params(const void *prev, char *desc)	\
{									\
	__typeof__((array)[0]) *next =					\
		prev ? (__typeof__(next))prev + 1 : (array);		\
									\
	if (next - (array) >= (long)ARRAY_SIZE(array))			\
		return NULL;						\
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", next->member);	\
	return next;							\
}

/*
 * What the user asked for; 0: nothing.  Tests that are made from seeds run this
 * one only, or about so many.
 */
extern u64 shim_kunit_seed, shim_kunit_seeds;

void shim_kunit_register(struct kunit_suite *suite);

#define SHIM_SUITE_2(s, n)						\
static void __attribute__((__constructor__)) shim_register_##n(void)	\
{									\
	shim_kunit_register(s);						\
}									\
_Static_assert(1, "")
#define SHIM_SUITE_1(s, n)	SHIM_SUITE_2(s, n)
#define kunit_test_suite(s)	SHIM_SUITE_1(&(s), __COUNTER__)

void shim_kunit_fail(struct kunit *test, const char *file, int line,
		     bool fatal, const char *fmt, ...) __printf(5, 6);
void __attribute__((__noreturn__)) shim_kunit_stop(void);
void *shim_kunit_alloc(struct kunit *test, size_t size);
void shim_kunit_free(struct kunit *test, const void *mem);
void shim_kunit_say(struct kunit *test, const char *fmt, ...) __printf(2, 3);

#define kunit_kmalloc(test, size, gfp)		shim_kunit_alloc(test, size)
#define kunit_kzalloc(test, size, gfp)		shim_kunit_alloc(test, size)
#define kunit_kcalloc(test, n, size, gfp)	\
	shim_kunit_alloc(test, (size_t)(n) * (size))
#define kunit_kmalloc_array(test, n, size, gfp)	\
	shim_kunit_alloc(test, (size_t)(n) * (size))
#define kunit_kfree(test, ptr)			shim_kunit_free(test, ptr)

#define kunit_info(test, ...)			shim_kunit_say(test, __VA_ARGS__)
#define kunit_err			kunit_info
#define kunit_mark_skipped(test, ...)	((test)->status = KUNIT_SKIPPED)
#define kunit_skip(test, ...) do {					\
	kunit_mark_skipped(test);					\
	shim_kunit_stop();						\
} while (0)

#define KUNIT_FAIL(test, ...) \
	shim_kunit_fail(test, __FILE__, __LINE__, false, __VA_ARGS__)
#define KUNIT_SUCCEED(test)	((void)(test))

#define SHIM_CMP_INT(test, fatal, a, op, b, fmt, ...) do {		\
	__typeof__(a) __l = (a);					\
	__typeof__(b) __r = (b);					\
									\
	if (!(__l op __r))						\
		shim_kunit_fail(test, __FILE__, __LINE__, fatal,	\
				"expected %s " #op " %s, got %lld (0x%llx) " \
				"and %lld (0x%llx) " fmt, #a, #b,	\
				(long long)__l, (long long)__l,		\
				(long long)__r, (long long)__r,		\
				##__VA_ARGS__);				\
} while (0)
#define SHIM_COND(test, fatal, cond, what, fmt, ...) do {		\
	if (!(cond))							\
		shim_kunit_fail(test, __FILE__, __LINE__, fatal,	\
				"expected %s " fmt, what, ##__VA_ARGS__); \
} while (0)

#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, false, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, false, a, !=, b, __VA_ARGS__)
#define KUNIT_EXPECT_LT_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, false, a, <, b, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, false, a, <=, b, __VA_ARGS__)
#define KUNIT_EXPECT_GT_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, false, a, >, b, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, false, a, >=, b, __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, true, a, ==, b, __VA_ARGS__)
#define KUNIT_ASSERT_NE_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, true, a, !=, b, __VA_ARGS__)
#define KUNIT_ASSERT_LT_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, true, a, <, b, __VA_ARGS__)
#define KUNIT_ASSERT_LE_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, true, a, <=, b, __VA_ARGS__)
#define KUNIT_ASSERT_GT_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, true, a, >, b, __VA_ARGS__)
#define KUNIT_ASSERT_GE_MSG(t, a, b, ...) \
	SHIM_CMP_INT(t, true, a, >=, b, __VA_ARGS__)

#define KUNIT_EXPECT_EQ(t, a, b)	KUNIT_EXPECT_EQ_MSG(t, a, b, "")
#define KUNIT_EXPECT_NE(t, a, b)	KUNIT_EXPECT_NE_MSG(t, a, b, "")
#define KUNIT_EXPECT_LT(t, a, b)	KUNIT_EXPECT_LT_MSG(t, a, b, "")
#define KUNIT_EXPECT_LE(t, a, b)	KUNIT_EXPECT_LE_MSG(t, a, b, "")
#define KUNIT_EXPECT_GT(t, a, b)	KUNIT_EXPECT_GT_MSG(t, a, b, "")
#define KUNIT_EXPECT_GE(t, a, b)	KUNIT_EXPECT_GE_MSG(t, a, b, "")
#define KUNIT_ASSERT_EQ(t, a, b)	KUNIT_ASSERT_EQ_MSG(t, a, b, "")
#define KUNIT_ASSERT_NE(t, a, b)	KUNIT_ASSERT_NE_MSG(t, a, b, "")
#define KUNIT_ASSERT_LT(t, a, b)	KUNIT_ASSERT_LT_MSG(t, a, b, "")
#define KUNIT_ASSERT_LE(t, a, b)	KUNIT_ASSERT_LE_MSG(t, a, b, "")
#define KUNIT_ASSERT_GT(t, a, b)	KUNIT_ASSERT_GT_MSG(t, a, b, "")
#define KUNIT_ASSERT_GE(t, a, b)	KUNIT_ASSERT_GE_MSG(t, a, b, "")

#define KUNIT_EXPECT_TRUE_MSG(t, c, ...) \
	SHIM_COND(t, false, c, #c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...) \
	SHIM_COND(t, false, !(c), "!(" #c ")", __VA_ARGS__)
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...) \
	SHIM_COND(t, true, c, #c, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE_MSG(t, c, ...) \
	SHIM_COND(t, true, !(c), "!(" #c ")", __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(t, c)		KUNIT_EXPECT_TRUE_MSG(t, c, "")
#define KUNIT_EXPECT_FALSE(t, c)	KUNIT_EXPECT_FALSE_MSG(t, c, "")
#define KUNIT_ASSERT_TRUE(t, c)		KUNIT_ASSERT_TRUE_MSG(t, c, "")
#define KUNIT_ASSERT_FALSE(t, c)	KUNIT_ASSERT_FALSE_MSG(t, c, "")

#define SHIM_PTR(t, fatal, cond, what) SHIM_COND(t, fatal, cond, what, "")
#define KUNIT_EXPECT_NULL(t, p)		\
	SHIM_PTR(t, false, !(p), #p " == NULL")
#define KUNIT_EXPECT_NOT_NULL(t, p)	SHIM_PTR(t, false, p, #p " != NULL")
#define KUNIT_ASSERT_NULL(t, p)		SHIM_PTR(t, true, !(p), #p " == NULL")
#define KUNIT_ASSERT_NOT_NULL(t, p)	SHIM_PTR(t, true, p, #p " != NULL")
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(t, p) KUNIT_ASSERT_NOT_NULL(t, p)
#define KUNIT_EXPECT_NOT_ERR_OR_NULL(t, p) KUNIT_EXPECT_NOT_NULL(t, p)
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	\
	SHIM_PTR(t, false, (a) == (b), #a " == " #b)
#define KUNIT_EXPECT_PTR_NE(t, a, b)	\
	SHIM_PTR(t, false, (a) != (b), #a " != " #b)
#define KUNIT_ASSERT_PTR_EQ(t, a, b)	\
	SHIM_PTR(t, true, (a) == (b), #a " == " #b)

#define SHIM_STR(t, fatal, a, b, ...)					\
	SHIM_COND(t, fatal, !strcmp(a, b), #a " == " #b, __VA_ARGS__)
#define KUNIT_EXPECT_STREQ(t, a, b)		SHIM_STR(t, false, a, b, "")
#define KUNIT_EXPECT_STREQ_MSG(t, a, b, ...)	\
	SHIM_STR(t, false, a, b, __VA_ARGS__)
#define KUNIT_ASSERT_STREQ(t, a, b)		SHIM_STR(t, true, a, b, "")
#define KUNIT_EXPECT_STRNEQ(t, a, b)	\
	SHIM_COND(t, false, strcmp(a, b), #a " != " #b, "")

void shim_kunit_mem(struct kunit *test, const char *file, int line,
		    bool fatal, const void *a, const void *b, size_t len,
		    const char *what);

#define KUNIT_EXPECT_MEMEQ(t, a, b, len)	\
	shim_kunit_mem(t, __FILE__, __LINE__, false, a, b, len, #a " == " #b)
#define KUNIT_EXPECT_MEMEQ_MSG(t, a, b, len, ...) \
	KUNIT_EXPECT_MEMEQ(t, a, b, len)
#define KUNIT_ASSERT_MEMEQ(t, a, b, len)	\
	shim_kunit_mem(t, __FILE__, __LINE__, true, a, b, len, #a " == " #b)

#endif /* SHIM_KUNIT_TEST_H */
