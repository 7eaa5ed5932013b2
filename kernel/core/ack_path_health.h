/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the responder concludes about the delivery of its acknowledgments; the
 * choice of ACK paths depends on it.
 */
#ifndef MRC_CORE_ACK_PATH_HEALTH_H
#define MRC_CORE_ACK_PATH_HEALTH_H

/**
 * enum mrc_ack_path_health - do acknowledgments reach the peer?
 * @MRC_ACK_PATH_OK: no evidence to the contrary
 * @MRC_ACK_PATH_GAP: a packet is missing; what lost it may also lose
 *	acknowledgments
 * @MRC_ACK_PATH_LOSSY: packets that were acknowledged are retransmitted
 *
 * The value is the number of acknowledgments on other paths between two on a
 * proven path.
 */
enum mrc_ack_path_health {
	MRC_ACK_PATH_OK,
	MRC_ACK_PATH_GAP,
	MRC_ACK_PATH_LOSSY,
};

#endif /* MRC_CORE_ACK_PATH_HEALTH_H */
