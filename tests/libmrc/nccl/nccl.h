/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a network plug-in of NCCL needs of <nccl.h>, which comes with CUDA: results, and
 * names of types.
 */
#ifndef NCCL_H_
#define NCCL_H_

typedef enum {
	ncclSuccess = 0,
	ncclUnhandledCudaError = 1,
	ncclSystemError = 2,
	ncclInternalError = 3,
	ncclInvalidArgument = 4,
	ncclInvalidUsage = 5,
	ncclRemoteError = 6,
	ncclInProgress = 7,
} ncclResult_t;

/* Of collective operations in the network, which the plug-in does not have. */
typedef int ncclDataType_t;
typedef int ncclRedOp_t;

#endif /* NCCL_H_ */
