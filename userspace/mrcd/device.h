/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device, and its deny rules.
 */
#ifndef MRCD_DEVICE_H
#define MRCD_DEVICE_H

#include "deny.h"
#include "nl.h"

/**
 * struct device - an MRC device
 * @name: its name
 * @ports: how many it has
 * @speed: of each port, Mb/s; 0: not known
 * @n: devices that were found
 */
struct device {
	char name[MRC_NAME_MAX];
	int ports;
	uint32_t speed[MRC_PORTS_MAX];
	int n;
};

int device_find(struct nl *nl, const char *name, struct device *device);
int device_rule(struct nl *nl, const char *dev, const struct deny_rule *rule,
		bool add);
int device_rules(struct nl *nl, const char *dev,
		 void (*take)(void *arg, uint32_t port, uint32_t usid,
			      uint32_t next),
		 void *arg);

#endif /* MRCD_DEVICE_H */
