import { readScript } from '#packages/machine/read_script'

/**
 * Perl programs that run as root in an instance and try to break out of it. Each program prints one
 * line per successful attack. No output means that the isolation holds. The base image contains
 * Perl.
 */

export const LIST_WRITABLE_FILES_PROGRAM = readScript(import.meta, 'list_writable_files.pl')

/** Paths that belong to the instance alone, or that affect no other instance when written. */
export const INSTANCE_OWNED_PATHS = [
  // Processes and cgroups of the instance.
  '/proc/(\\d+|self|thread-self)',
  '/sys/fs/cgroup',
  // Sysctls of the instance's own namespaces: network, IPC, user, PID.
  '/proc/sys/(net|user|fs/mqueue)',
  '/proc/sys/kernel/(auto_msgmni|msg\\w+|sem\\w*|shm\\w+|ns_last_pid|pid_max)',
  '/sys/devices/virtual/net',
  // A write only registers a notification for the writer (the kernel's Documentation/accounting/psi).
  '/proc/pressure/\\w+',
  // Devices without state, terminals of the instance, and devices that act only in its namespaces.
  '/dev/(full|null|zero|tty|u?random|console|ptmx|pts|fuse|net/tun|shm|mqueue|\\.lxc-boot-id)',
].join('|')

export const CREATE_SUBVOLUME_PROGRAM = readScript(import.meta, 'create_subvolume.pl')

export const FILL_MEMORY_FILE_SYSTEMS_PROGRAM = readScript(
  import.meta,
  'fill_memory_file_systems.pl'
)

export const STORE_KEYS_PROGRAM = readScript(import.meta, 'store_keys.pl')

export const FORGE_SENDERS_PROGRAM = readScript(import.meta, 'forge_senders.pl')

export const FLOOD_CONNECTIONS_PROGRAM = readScript(import.meta, 'flood_connections.pl')

export const CONNECT_TO_NEIGHBOURS_PROGRAM = readScript(import.meta, 'connect_to_neighbours.pl')
