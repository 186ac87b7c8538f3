import type { Instance } from '../incus/main.js'

/** A process that uses the broker: `web` serves pages and API calls, `gateway` opens terminals. */
export type BrokerClientName = 'web' | 'gateway'

export interface BrokerRequest {
  client: BrokerClientName
  method: string
  /** Path without its query, still percent-encoded: `/1.0/…`. */
  path: string
  body: unknown
}

/** The body that the broker sends to Incus. It contains only fields that the rule passes on. */
export interface ForwardedRequest {
  body?: object
}

export interface RuleContext {
  /** The instance as Incus returns it. Null if it does not exist. */
  instance: Instance | null
  installation: string
}

/** The broker rejected a call. The message is the reason. */
export class RequestRejectedError extends Error {}

interface Rule {
  clients: BrokerClientName[]
  method: string
  /** The first group, if any, captures the instance name. */
  path: RegExp
  query?: string[]
  /** Whether the broker relays raw bytes in both directions after Incus accepts the upgrade. */
  upgrade?: true
  check?(request: BrokerRequest, known: RuleContext): ForwardedRequest
}

export const INSTALLATION_CONFIG_KEY = 'user.berth.installation'
const INSTANCE_KEY = 'user.berth.instance'
const WATCHDOG_KEY = 'user.berth.keeper'

/**
 * Config keys for Build Mode: the limits that it raises for some minutes, and labels with its end time and the limits
 * to restore.
 */
const LIMIT_KEYS = ['limits.cpu', 'limits.cpu.allowance', 'limits.memory', 'limits.processes']
const BOOST_KEYS = ['until', 'memory', 'cpu', 'processes'].map((what) => `user.berth.boost.${what}`)

const all: BrokerClientName[] = ['web', 'gateway']
const web: BrokerClientName[] = ['web']
const INSTANCE_NAME_PATTERN = '([A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)'
const RESOURCE_NAME_PATTERN = '[A-Za-z0-9][A-Za-z0-9_.-]{0,62}'
const OPERATION_PATH_PATTERN = '/1\\.0/operations/[0-9a-f-]{36}'
const at = (path: string) => new RegExp(`^${path}$`)

/**
 * API calls that the web and gateway processes may make to this host's Incus. They cover all actions on pages. None of
 * them gives root access to the host.
 */
export const brokerRules: Rule[] = [
  {
    clients: all,
    method: 'POST',
    path: at(`/1\\.0/instances/${INSTANCE_NAME_PATTERN}/exec`),
    check: exec,
  },
  { clients: all, method: 'GET', path: at(OPERATION_PATH_PATTERN) },
  { clients: all, method: 'GET', path: at(`${OPERATION_PATH_PATTERN}/wait`), query: ['timeout'] },
  {
    clients: all,
    method: 'GET',
    path: at(`${OPERATION_PATH_PATTERN}/websocket`),
    query: ['secret'],
    upgrade: true,
  },

  { clients: web, method: 'GET', path: at(`/1\\.0/instances/${INSTANCE_NAME_PATTERN}`) },
  {
    clients: web,
    method: 'PATCH',
    path: at(`/1\\.0/instances/${INSTANCE_NAME_PATTERN}`),
    check: patch,
  },
  {
    clients: web,
    method: 'PUT',
    path: at(`/1\\.0/instances/${INSTANCE_NAME_PATTERN}`),
    check: replace,
  },
  {
    clients: web,
    method: 'PUT',
    path: at(`/1\\.0/instances/${INSTANCE_NAME_PATTERN}/state`),
    check: stopWatchdog,
  },
  {
    clients: web,
    method: 'DELETE',
    path: at(`/1\\.0/instances/${INSTANCE_NAME_PATTERN}`),
    check: watchdog,
  },

  { clients: web, method: 'GET', path: at('/1\\.0') },
  { clients: web, method: 'GET', path: at('/1\\.0/resources') },
  { clients: web, method: 'GET', path: at('/1\\.0/warnings'), query: ['recursion'] },
  { clients: web, method: 'GET', path: at('/1\\.0/profiles/default') },
  ...['storage-pools', 'networks'].flatMap((what) => [
    { clients: web, method: 'GET', path: at(`/1\\.0/${what}`), query: ['recursion'] },
    { clients: web, method: 'GET', path: at(`/1\\.0/${what}/${RESOURCE_NAME_PATTERN}`) },
    {
      clients: web,
      method: 'GET',
      path: at(`/1\\.0/${what}/${RESOURCE_NAME_PATTERN}/(?:resources|state|leases)`),
    },
  ]),
  { clients: web, method: 'GET', path: at(`/1\\.0/images/aliases/${RESOURCE_NAME_PATTERN}`) },
]

export function ruleFor({ client, method, path }: Omit<BrokerRequest, 'body'>): Rule | undefined {
  return brokerRules.find(
    (rule) => rule.clients.includes(client) && rule.method === method && rule.path.test(path)
  )
}

/**
 * Returns the instance. If it belongs to another installation, returns it without devices, and with only the
 * `user.berth.` labels of its config.
 */
export function redactForeignInstance(instance: Instance, installation: string): Instance {
  if (instance.config[INSTALLATION_CONFIG_KEY] === installation) return instance
  const labels = Object.entries(instance.config).filter(([key]) => key.startsWith('user.berth.'))
  return {
    ...instance,
    config: Object.fromEntries(labels),
    devices: {},
    expanded_config: {},
    expanded_devices: {},
  }
}

/** Accepts the call only if its instance belongs to this installation, is confined, and is not a watchdog. */
function inside(
  _request: BrokerRequest,
  { instance, installation }: RuleContext
): ForwardedRequest {
  if (!instance) throw new RequestRejectedError('this instance does not exist')
  const { config } = instance
  if (
    config[INSTALLATION_CONFIG_KEY] !== installation ||
    !config[INSTANCE_KEY] ||
    config[WATCHDOG_KEY]
  ) {
    throw new RequestRejectedError('this instance does not belong to this installation')
  }
  assertConfined(instance)
  return {}
}

/**
 * Checks that root inside an instance cannot escape to the host.
 * @throws RequestRejectedError if an escape may be possible
 */
export function assertConfined({
  expanded_config: config,
  expanded_devices: devices,
}: Instance): void {
  const isOpen =
    config['security.privileged'] === 'true' ||
    Object.keys(config).some((key) => key.startsWith('raw.') || opensSyscalls(key)) ||
    Object.values(devices).some(
      ({ type, source, bind }) =>
        (type === 'disk' && source?.startsWith('/')) ||
        (type === 'proxy' && (bind === 'instance' || bind === 'guest' || bind === 'container')) ||
        type?.startsWith('unix-')
    )
  if (isOpen)
    throw new RequestRejectedError('these settings would let root escape from the instance')
}

/**
 * Returns whether a setting may let the instance make more system calls, or lets the host emulate some of them. Of the
 * `security.syscalls.` settings, it accepts only `deny`, which Berth sets itself.
 */
function opensSyscalls(key: string): boolean {
  return key.startsWith('security.syscalls.') && key !== 'security.syscalls.deny'
}

function exec(request: BrokerRequest, known: RuleContext): ForwardedRequest {
  inside(request, known)
  const { command, environment, cwd, user, group, interactive, width, height } = objectOf(
    request.body
  )
  if (!Array.isArray(command) || !command.every((part) => typeof part === 'string')) {
    throw new RequestRejectedError('a command must be a list of strings')
  }
  const body = { command, environment, cwd, user, group, interactive, width, height }
  return { body: { ...body, 'wait-for-websocket': true } }
}

function patch({ body }: BrokerRequest, known: RuleContext): ForwardedRequest {
  const { config, devices, ...others } = objectOf(body)
  if (Object.keys(others).length)
    throw new RequestRejectedError(`${Object.keys(others)[0]} cannot be changed`)
  const present = changeable(known)
  return {
    body: {
      ...(config !== undefined && { config: settings(objectOf(config), present.config, known) }),
      ...(devices !== undefined && { devices: ports(objectOf(devices), present.devices) }),
    },
  }
}

function replace({ body }: BrokerRequest, known: RuleContext): ForwardedRequest {
  const { config, devices } = objectOf(body)
  const { architecture, description, ephemeral, profiles, ...present } = changeable(known)
  const wanted = { config: objectOf(config), devices: objectOf(devices) }
  for (const key of Object.keys(present.config)) {
    if (!(key in wanted.config) && !mayChange(key))
      throw new RequestRejectedError(`${key} cannot be changed`)
  }
  for (const name of Object.keys(present.devices)) {
    if (!(name in wanted.devices) && !isPort(name))
      throw new RequestRejectedError(`${name} cannot be changed`)
  }
  return {
    body: {
      architecture,
      description,
      ephemeral,
      profiles,
      config: settings(wanted.config, present.config, known),
      devices: ports(wanted.devices, present.devices),
    },
  }
}

/**
 * Returns the instance if it belongs to this installation or to no installation, is confined, and is not a watchdog.
 * Administrators can take over an instance without an installation.
 */
function changeable({ instance, installation }: RuleContext): Instance {
  if (!instance) throw new RequestRejectedError('this instance does not exist')
  const { [INSTALLATION_CONFIG_KEY]: owner, [WATCHDOG_KEY]: isWatchdog } = instance.config
  if (isWatchdog || (owner && owner !== installation)) {
    throw new RequestRejectedError('this instance does not belong to this installation')
  }
  assertConfined(instance)
  return instance
}

function mayChange(key: string): boolean {
  return [...LIMIT_KEYS, ...BOOST_KEYS, INSTALLATION_CONFIG_KEY, INSTANCE_KEY].includes(key)
}

function settings(
  wanted: Record<string, unknown>,
  present: Record<string, string>,
  { installation }: RuleContext
): Record<string, string> {
  const entries = Object.entries(wanted).map(([key, value]) => {
    if (typeof value !== 'string') throw new RequestRejectedError(`${key} must be text`)
    if (value !== present[key]) {
      if (!mayChange(key)) throw new RequestRejectedError(`${key} cannot be changed`)
      if (key === INSTALLATION_CONFIG_KEY && value && value !== installation) {
        throw new RequestRejectedError('an instance cannot be moved to another installation')
      }
    }
    return [key, value]
  })
  return Object.fromEntries(entries)
}

const isPort = (name: string) => /^port-[a-z0-9-]{1,40}$/.test(name)
const TCP_ADDRESS_PATTERN = /^tcp:(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}$/
const PROXY_DEVICE_KEYS = ['type', 'listen', 'connect', 'nat', 'bind']

/**
 * Accepts unchanged devices, and proxy devices that forward a TCP port of the host into the instance. A proxy in the
 * other direction would give the instance access to the host's own ports.
 */
function ports(
  wanted: Record<string, unknown>,
  present: Record<string, Record<string, string>>
): Record<string, Record<string, string>> {
  const entries = Object.entries(wanted).map(([name, value]) => {
    const device = objectOf(value)
    if (present[name] && same(device, present[name])) return [name, present[name]]
    const { type, listen, connect, nat, bind } = device
    const leadsInside =
      isPort(name) &&
      Object.keys(device).every((key) => PROXY_DEVICE_KEYS.includes(key)) &&
      type === 'proxy' &&
      TCP_ADDRESS_PATTERN.test(String(listen)) &&
      TCP_ADDRESS_PATTERN.test(String(connect)) &&
      (nat === undefined || nat === 'true' || nat === 'false') &&
      (bind === undefined || bind === 'host')
    if (!leadsInside)
      throw new RequestRejectedError(
        `the device ${name} does not forward a TCP port into the instance`
      )
    return [name, { type, listen, connect, ...(nat !== undefined && { nat }) }]
  })
  return Object.fromEntries(entries)
}

function same(one: Record<string, unknown>, other: Record<string, string>): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}

/** Accepts the call only if its instance is the watchdog container of this installation. */
function watchdog(
  _request: BrokerRequest,
  { instance, installation }: RuleContext
): ForwardedRequest {
  if (!instance) throw new RequestRejectedError('this instance does not exist')
  if (instance.config[INSTALLATION_CONFIG_KEY] !== installation || !instance.config[WATCHDOG_KEY]) {
    throw new RequestRejectedError('this watchdog does not belong to this installation')
  }
  return {}
}

function stopWatchdog(request: BrokerRequest, known: RuleContext): ForwardedRequest {
  watchdog(request, known)
  const { action, force, timeout } = objectOf(request.body)
  if (action !== 'stop') throw new RequestRejectedError('a watchdog can only be stopped')
  return { body: { action, force: force === true, timeout: Number(timeout) || 0 } }
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new RequestRejectedError('the body must be an object')
}
