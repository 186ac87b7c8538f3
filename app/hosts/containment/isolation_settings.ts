/** The ioctl(2) requests that create a btrfs subvolume or snapshot, both versions (linux/btrfs.h). */
const SUBVOLUME_REQUESTS = ['0x5000940e', '0x50009418', '0x50009401', '0x50009417']

/**
 * The calls of the kernel's key storage, which Docker denies too. The memory of keys does not count towards the
 * memory limit of an instance, and each of its 65,536 users may store two megabytes.
 */
const KEY_CALLS = ['add_key', 'request_key', 'keyctl']

/**
 * Denies system calls (EPERM). A btrfs subvolume has no quota, and any user may create one. The kernel
 * reads only the lower 32 bits of a request but seccomp compares 64, so the upper ones are masked out.
 * Incus applies the lines to all ABIs of the processor, 32-bit calls included.
 */
const DENIED_SYSCALLS = SUBVOLUME_REQUESTS.map(
  (request) => `ioctl errno 1 [1,${request},SCMP_CMP_MASKED_EQ,0xffffffff]`
)
  .concat(KEY_CALLS.map((name) => `${name} errno 1`))
  .join('\n')

export const DENIED_SYSCALLS_CONFIG_KEY = 'security.syscalls.deny'
/**
 * Settings of every instance. Programs inside cannot read Berth's settings of the instance, a memory leak
 * ends at the instance's limit instead of filling the host's swap, no file escapes the disk quota, and no key the
 * memory limit. Incus restarts an instance that ended by itself, most often for lack of memory.
 */
export const ISOLATION_SETTINGS = {
  'security.guestapi': 'false',
  'limits.memory.swap': 'false',
  [DENIED_SYSCALLS_CONFIG_KEY]: DENIED_SYSCALLS,
  'boot.autorestart': 'true',
}
