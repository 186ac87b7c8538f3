import { readScript } from '#packages/machine/read_script'

/*
 * Programs that run as root in an instance and try to break out of it. Each prints one line per successful attack.
 * Three of them make system calls for which the base image has no other program. They are in Perl, which every
 * Debian has (decision 0072).
 */
const bash = (name: string) => ['bash', '-c', readScript(import.meta, name), 'berth-attack']
const perl = (name: string) => ['perl', '-e', readScript(import.meta, name)]

export const LIST_WRITABLE_FILES_COMMAND = bash('list_writable_files.bash')
export const FILL_MEMORY_FILE_SYSTEMS_COMMAND = bash('fill_memory_file_systems.sh')
export const FLOOD_CONNECTIONS_COMMAND = bash('flood_connections.bash')
export const CONNECT_TO_NEIGHBOURS_COMMAND = bash('connect_to_neighbours.bash')
export const CREATE_SUBVOLUME_COMMAND = perl('create_subvolume.pl')
export const EXCEED_LIMITS_COMMAND = perl('exceed_limits.pl')
export const CREATE_NETWORK_NAMESPACES_COMMAND = perl('create_network_namespaces.pl')
export const STORE_KEYS_COMMAND = perl('store_keys.pl')

/** Paths that belong only to the instance, or whose change affects no other instance. */
export const INSTANCE_OWNED_PATHS = [
  '/proc/([0-9]+|self|thread-self)',
  '/sys/fs/cgroup',
  // Sysctls in the namespaces of the instance: network, IPC, user, PID.
  '/proc/sys/(net|user|fs/mqueue)',
  '/proc/sys/kernel/(auto_msgmni|msg\\w+|sem\\w*|shm\\w+|ns_last_pid|pid_max)',
  '/sys/devices/virtual/net',
  // A write only registers a notification for the program that writes (the kernel's Documentation/accounting/psi).
  '/proc/pressure/\\w+',
  // Devices without state, terminals of the instance, and devices that affect only the instance's namespaces.
  '/dev/(full|null|zero|tty|u?random|console|ptmx|pts|fuse|net/tun|shm|mqueue|\\.lxc-boot-id)',
].join('|')
