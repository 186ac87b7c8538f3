/** Requests of ioctl(2) that create a btrfs subvolume or snapshot: linux/btrfs.h, both versions. */
const SUBVOLUME_REQUESTS = ['0x5000940e', '0x50009418', '0x50009401', '0x50009417']

/**
 * Denies system calls (EPERM). A btrfs subvolume has no quota, and any user may create one. The kernel
 * reads only the lower 32 bits of a request but seccomp compares 64, so the upper ones are masked out.
 * Incus applies the lines to all ABIs of the processor, 32-bit calls included.
 */
const DENIED_SYSCALLS = SUBVOLUME_REQUESTS.map(
  (request) => `ioctl errno 1 [1,${request},SCMP_CMP_MASKED_EQ,0xffffffff]`
).join('\n')

export const SYSCALLS = 'security.syscalls.deny'
/**
 * What every instance is made with: nothing is told inside of the settings by which we know it,
 * a leak of memory ends at its own limit instead of filling the host's swap, and nothing is written
 * beside its disk quota. One that ended by itself, most of all for lack of memory, is started again.
 */
export const APART = {
  'security.guestapi': 'false',
  'limits.memory.swap': 'false',
  [SYSCALLS]: DENIED_SYSCALLS,
  'boot.autorestart': 'true',
}
