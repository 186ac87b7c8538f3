/**
 * ioctl(2) requests that create a btrfs subvolume or snapshot, in both versions (linux/btrfs.h).
 */
const SUBVOLUME_REQUESTS = ['0x5000940e', '0x50009418', '0x50009401', '0x50009417']

/**
 * System calls for storing keys in the kernel, which Docker denies too. Keys do not count towards an instance's
 * memory limit. Each of an instance's 65,536 users could store two megabytes.
 */
const KEY_CALLS = ['add_key', 'request_key', 'keyctl']

/** Flag that makes a system call create a network namespace (clone(2)). */
const NETWORK_NAMESPACE_FLAG = '0x40000000'

/**
 * Rules for system calls that create a network namespace (decision 0088). seccomp cannot read the flags of clone3,
 * because they are in memory. So clone3 returns ENOSYS (38), and programs use clone instead, as on an older kernel.
 */
const NETWORK_NAMESPACE_CALLS = [
  `unshare errno 1 [0,${NETWORK_NAMESPACE_FLAG},SCMP_CMP_MASKED_EQ,${NETWORK_NAMESPACE_FLAG}]`,
  `clone errno 1 [0,${NETWORK_NAMESPACE_FLAG},SCMP_CMP_MASKED_EQ,${NETWORK_NAMESPACE_FLAG}]`,
  'clone3 errno 38',
]

/**
 * System calls that Incus denies, most of them with EPERM. Any user may create a btrfs subvolume, which has no
 * quota. The kernel reads only the lower 32 bits of an ioctl request, but seccomp compares 64 bits. The mask
 * therefore removes the upper bits. Incus applies the lines to all ABIs of the CPU, including 32-bit calls.
 */
const DENIED_SYSCALLS = SUBVOLUME_REQUESTS.map(
  (request) => `ioctl errno 1 [1,${request},SCMP_CMP_MASKED_EQ,0xffffffff]`
)
  .concat(KEY_CALLS.map((name) => `${name} errno 1`))
  .concat(NETWORK_NAMESPACE_CALLS)
  .join('\n')

export const DENIED_SYSCALLS_CONFIG_KEY = 'security.syscalls.deny'
/**
 * Incus config of every instance.
 * - Programs in the instance cannot read Berth's config keys.
 * - A memory leak cannot fill the host's swap.
 * - The denied system calls would create files outside the disk quota. They would also create kernel keys and
 *   connection tracking tables, which count towards no memory limit.
 * - Incus restarts an instance that stopped without a request, usually because it ran out of memory.
 */
export const ISOLATION_SETTINGS = {
  'security.guestapi': 'false',
  'limits.memory.swap': 'false',
  [DENIED_SYSCALLS_CONFIG_KEY]: DENIED_SYSCALLS,
  'boot.autorestart': 'true',
}
