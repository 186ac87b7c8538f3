import { invalid } from '#core/app_error'
import type { HostInstance } from '#hosts/public'
import { FIRST_INSTANCE_PORT, LAST_INSTANCE_PORT } from '#hosts/public_effects'
import { withTemporaryDiskSpace } from '#instances/containers/limits'
import { noFreePorts } from '#instances/errors'
import { updateContainer, type UndoFunction } from '#instances/containers/update_container'
import type ServerInstance from '#instances/models/server_instance'
import { type Device, type Incus, type Instance, isIncusError } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'
import { connect } from 'node:net'

/** If another program on the host uses a leased port, `forwardPort` tries this number of ports. */
const MAX_PORT_ATTEMPTS = 20

/** Beginning of the names of ports through which the edge (Berth's reverse proxy) reaches instances on other hosts. */
export const EDGE_PORT_NAME_PREFIX = 'edge-'

const PORT_DEVICE_PREFIX = 'port-'

export function portDeviceName(portName: string): string {
  return `${PORT_DEVICE_PREFIX}${portName}`
}

/** Ports inside the container by port name. Other names are the port numbers themselves. */
const WELL_KNOWN_PORTS: Record<string, number> = { ssh: 22, http: 80, https: 443 }

export interface ForwardedPort {
  name: string
  port: number
  inner: number
}

/** @throws 422 for an unknown port name or a host port that is used twice */
export function parsePorts(ports: Record<string, number>): ForwardedPort[] {
  const rows = Object.entries(ports).map(([name, port]) => ({
    name,
    port,
    inner: innerPortOf(name),
  }))
  const twice = rows.find(({ port }, index) => rows.findIndex((one) => one.port === port) < index)
  if (twice) throw invalid({ ports: `Port ${twice.port} can be used only once.` })
  return rows
}

function innerPortOf(name: string): number {
  const port = WELL_KNOWN_PORTS[name] ?? (/^[1-9]\d{0,4}$/.test(name) ? Number(name) : 0)
  if (port < 1 || port > 65_535) {
    throw invalid({ ports: `"${name}" is not ssh, http, https or a port number.` })
  }
  return port
}

/**
 * Leases a random free host port. If this name already has a lease, returns that port. The primary key of
 * `port_leases` decides between concurrent calls.
 * @throws AppError `no_ports`
 */
export async function leasePort(
  instance: ServerInstance,
  { name, innerPort, avoid = [] }: { name: string; innerPort: number; avoid?: number[] }
): Promise<number> {
  for (;;) {
    const own = await db
      .from('port_leases')
      .where({ server_instance_id: instance.id, name })
      .select('port')
      .first()
    if (own) return Number(own.port)
    // Random, because the lowest free port was perhaps used until recently, and its old links would lead to another
    // customer's instance.
    const { rows, rowCount } = await db.rawQuery(
      `insert into port_leases
         (host_instance_id, port, server_instance_id, account_id, name, inner_port)
       select :host, series.port, :instance, :account, :name, :inner
       from generate_series(:first::int, :last::int) as series (port)
       where series.port <> all(:avoid::int[]) and not exists (
         select 1 from port_leases taken
         where taken.host_instance_id = :host and taken.port = series.port)
       order by random() limit 1
       on conflict do nothing returning port`,
      {
        host: instance.hostInstanceId!,
        instance: instance.id,
        account: instance.accountId,
        name,
        inner: innerPort,
        first: FIRST_INSTANCE_PORT,
        last: LAST_INSTANCE_PORT,
        avoid: `{${avoid.join(',')}}`,
      }
    )
    if (rowCount > 0) return Number(rows[0].port)
    if (!(await findFreePort(instance.hostInstanceId!, avoid))) throw noFreePorts()
  }
}

async function findFreePort(hostId: number, avoid: number[]): Promise<boolean> {
  const taken = await db
    .from('port_leases')
    .where('host_instance_id', hostId)
    .whereBetween('port', [FIRST_INSTANCE_PORT, LAST_INSTANCE_PORT])
    .whereNotIn('port', avoid)
    .count('* as total')
    .first()
  return Number(taken.total) + avoid.length < LAST_INSTANCE_PORT - FIRST_INSTANCE_PORT + 1
}

export async function releasePort(instance: ServerInstance, name: string): Promise<void> {
  await db.from('port_leases').where({ server_instance_id: instance.id, name }).delete()
}

/**
 * Returns the host port. Idempotent.
 * @throws 503 if the host has no free port
 */
export async function forwardPort(
  instance: ServerInstance,
  host: HostInstance,
  incus: Incus,
  { name, innerPort }: { name: string; innerPort: number }
): Promise<number> {
  const avoid: number[] = []
  for (let attempt = 1; ; attempt++) {
    const port = await leasePort(instance, { name, innerPort, avoid })
    const { devices } = await incus.instances.get(instance.systemId!)
    const present = devices[portDeviceName(name)]
    if (present && listenPort(present) === port) return port
    if (!(await isTcpPortOpen(host.ip, port))) {
      try {
        await addForward(instance, host, incus, { name, port, innerPort })
        return port
      } catch (error) {
        if (attempt >= MAX_PORT_ATTEMPTS || !portInUse(error)) throw error
      }
    } else if (attempt >= MAX_PORT_ATTEMPTS) {
      throw noFreePorts()
    }
    avoid.push(port)
    await releasePort(instance, name)
  }
}

async function addForward(
  instance: ServerInstance,
  host: HostInstance,
  incus: Incus,
  { name, port, innerPort }: { name: string; port: number; innerPort: number }
): Promise<void> {
  const system = instance.systemId!
  for (const device of portForwardDevices(host.ip, port, instance.privateIp!, innerPort)) {
    try {
      await incus.instances.patch(system, { devices: { [portDeviceName(name)]: device } })
      return
    } catch (error) {
      // NAT in the kernel cannot listen on every address. Then the next device setting is tried, Incus's proxy
      // process.
      if (device.nat !== 'true' || !isIncusError(error, 'bad_request', 'failed')) throw error
    }
  }
}

/**
 * Returns device settings, best first. NAT in the kernel costs no throughput, but does not work for loopback addresses
 * or addresses that the host does not own. Incus's proxy process works for these too.
 */
export function portForwardDevices(
  hostAddress: string,
  port: number,
  privateIp: string,
  innerPort: number
): Device[] {
  const plain = {
    type: 'proxy',
    listen: `tcp:0.0.0.0:${port}`,
    connect: `tcp:127.0.0.1:${innerPort}`,
  }
  if (!/^\d+(\.\d+){3}$/.test(hostAddress) || hostAddress.startsWith('127.')) return [plain]
  const byKernel = {
    type: 'proxy',
    nat: 'true',
    listen: `tcp:${hostAddress}:${port}`,
    connect: `tcp:${privateIp}:${innerPort}`,
  }
  return [byKernel, plain]
}

type Devices = Record<string, Device>

interface ForwardEnds {
  ip: string | null
  privateIp: string | null
}

export function withoutPortDevices(devices: Devices): Devices {
  return Object.fromEntries(
    Object.entries(devices).filter(([name]) => !name.startsWith(PORT_DEVICE_PREFIX))
  )
}

/**
 * Returns the devices with these ports forwarded. Keeps the edge's ports and devices that are already correct.
 * @param byKernel true: NAT in the kernel; false: Incus's proxy process
 */
function withPortDevices(
  devices: Devices,
  rows: ForwardedPort[],
  ends: ForwardEnds,
  byKernel: boolean
): Devices {
  const ofEdge = Object.entries(devices).filter(([name]) =>
    name.startsWith(portDeviceName(EDGE_PORT_NAME_PREFIX))
  )
  const forwarded = rows.map((row) => {
    const name = portDeviceName(row.name)
    const ways = portForwardDevices(ends.ip!, row.port, ends.privateIp!, row.inner)
    const way = byKernel ? ways[0] : ways[ways.length - 1]
    return [name, isForwarded(devices[name], row, ends) ? devices[name] : way]
  })
  return { ...withoutPortDevices(devices), ...Object.fromEntries([...ofEdge, ...forwarded]) }
}

/** Returns whether the container forwards exactly these ports. Ignores the edge's ports. */
export function arePortsForwarded(
  devices: Devices,
  rows: ForwardedPort[],
  ends: ForwardEnds
): boolean {
  const names = Object.keys(devices).filter(
    (name) =>
      name.startsWith(PORT_DEVICE_PREFIX) && !name.startsWith(portDeviceName(EDGE_PORT_NAME_PREFIX))
  )
  return (
    names.length === rows.length &&
    rows.every((row) => isForwarded(devices[portDeviceName(row.name)], row, ends))
  )
}

/**
 * Makes the container forward the ports in the row. Keeps existing devices for the edge's ports, and removes all other
 * forwarded ports.
 * @param extraConfig Incus config keys to set in the same request
 */
export function forwardRecordedPorts(
  incus: Incus,
  name: string,
  row: ForwardEnds & { ports: Record<string, number> },
  extraConfig: Record<string, string> = {}
): Promise<UndoFunction> {
  return forwardPorts(incus, name, parsePorts(row.ports), row, extraConfig)
}

async function forwardPorts(
  incus: Incus,
  name: string,
  rows: ForwardedPort[],
  ends: ForwardEnds,
  extraConfig: Record<string, string> = {}
): Promise<UndoFunction> {
  const lead = (byKernel: boolean) =>
    updateContainer(incus, name, ({ config, devices }) => ({
      config: { ...config, ...extraConfig },
      devices: withPortDevices(devices, rows, ends, byKernel),
    }))
  try {
    return await lead(true)
  } catch (error) {
    // NAT in the kernel cannot listen on every address. Incus's proxy process can.
    if (isIncusError(error, 'bad_request', 'failed')) return lead(false)
    throw error
  }
}

export interface RejectedPort {
  port: number
  reason: string
}

/**
 * Skips ports that another program on the host uses, because Incus would then forward none of the ports and not start
 * the container.
 * @returns the skipped ports
 */
export async function forwardFreePorts(
  incus: Incus,
  { name, status, devices }: Instance,
  row: ForwardEnds & { ports: Record<string, number> }
): Promise<RejectedPort[]> {
  const rows = parsePorts(row.ports)
  const openNow = status === 'Running' ? Object.values(devices).map(listenPort) : []
  const taken = await Promise.all(
    rows.map(async ({ port }) => !openNow.includes(port) && (await isTcpPortOpen(row.ip!, port)))
  )
  const rejected = rows
    .filter((_, index) => taken[index])
    .map(({ port }) => ({ port, reason: 'another program or container on the host uses it' }))
  const free = rows.filter((_, index) => !taken[index])
  if (arePortsForwarded(devices, free, row)) return rejected
  const forward = (some: ForwardedPort[]) =>
    withTemporaryDiskSpace(incus, name, () => forwardPorts(incus, name, some, row))
  try {
    await forward(free)
    return rejected
  } catch (error) {
    if (!isIncusError(error, 'bad_request', 'failed', 'conflict')) throw error
  }
  // Incus applies all devices of a request or none, so this adds the ports one at a time.
  const accepted = free.filter((one) => isForwarded(devices[portDeviceName(one.name)], one, row))
  await forward(accepted)
  for (const one of free.filter((each) => !accepted.includes(each))) {
    try {
      await forward([...accepted, one])
      accepted.push(one)
    } catch (error) {
      if (!isIncusError(error, 'bad_request', 'failed', 'conflict')) throw error
      rejected.push({ port: one.port, reason: error.message })
    }
  }
  return rejected
}

function isForwarded(
  device: Device | undefined,
  { port, inner }: ForwardedPort,
  { ip, privateIp }: ForwardEnds
): boolean {
  if (!device || listenPort(device) !== port || !device.connect?.endsWith(`:${inner}`)) return false
  if (device.nat !== 'true') return true
  return device.listen === `tcp:${ip}:${port}` && device.connect === `tcp:${privateIp}:${inner}`
}

function listenPort(device: Device): number {
  return Number(device.listen?.split(':').pop())
}

function portInUse(error: unknown): boolean {
  return isIncusError(error) && /address already in use|already.*listen/i.test(error.message)
}

/** @param timeout milliseconds */
export function isTcpPortOpen(host: string, port: number, timeout = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
