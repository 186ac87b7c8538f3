import { installSshKeys } from '#instances/containers/install_ssh_keys'
import { forwardPort } from '#instances/containers/ports'
import type { ServerInstance } from '#instances/public'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import type Person from '#identity/models/person'
import { makeHost, makeInstance } from '#projects/tests/fixtures'
import { ensureProjectFolder, writeNewFile } from '#projects/machine/project_folder'
import { applySite } from '#projects/virtual_host/apply_site'
import { renderSite } from '#projects/virtual_host/render_site'
import { virtualHostValidator } from '#projects/validators/virtual_host'
import { apacheSiteFileName } from '#projects/virtual_host/virtual_host_types'
import type { ProjectView } from '#projects/transformers/page_props'
import { eventually } from '#tests/support/eventually'
import { retireHosts } from '#tests/support/hosts'
import { nicWithFreeAddress } from '#tests/support/nic_with_free_address'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { trustProxyAuthorities } from '#tests/support/proxy_authorities'
import { waitForBoot } from '#tests/support/wait_for_boot'
import { Incus } from '#packages/incus/main'
import type { Machine } from '#packages/machine/main'
import { randomUUID } from 'node:crypto'
import { networkInterfaces } from 'node:os'

/** A customer's real instance. Tests control it by the same requests as the console's forms. */
export interface SiteMachine {
  system: string
  incus: Incus
  customer: Person
  visitor: Visitor
  instance: ServerInstance
  reached: { debian: boolean; npm: boolean }
  /** Runs a program as root on the instance. */
  inside(...argv: string[]): Promise<{ exitCode: number | null; output: string; errors: string }>
  /** Waits until the instance has fully booted. Returns its address. */
  isUp(): Promise<string>
  /**
   * Sends a request that starts an operation, and runs the operation. Does not throw if the operation fails.
   * @throws if the request is rejected
   */
  call(path: string, body: object): Promise<{ id: number; operation: Operation }>
  /** Sends a request like `call`, but throws if its operation fails. */
  works(path: string, body: object): Promise<number>
  /** Creates a project whose name is also its path. Returns its id. */
  store(stack: string, path: string): Promise<number>
  /** Uploads files through the file manager. Creates missing folders and overwrites existing files. */
  upload(path: string, files: Record<string, string>): Promise<void>
  /** Returns the first address that the project's page shows. Throws if it shows none. */
  addressOf(id: number): Promise<string>
  close(): Promise<void>
}

/** Whether instances can reach the package registries. What one instance has reached counts for all. */
const reachableRegistries = { debian: false, npm: false }

export function virtualHostFields(more: object): object {
  return { server_admin: 'admin@example.com', entry_point: '', type: 'static', ...more }
}

/** Serves a text at a subdomain, as the site of a project would. */
export async function serveTextSite(
  machine: Machine,
  subdomain: string,
  text: string
): Promise<void> {
  const host = await virtualHostValidator.validate(
    virtualHostFields({ url_type: 'subdomain', subdomain })
  )
  const site = { id: 1, path: subdomain, stack: 'static' as const, virtualHost: host }
  await ensureProjectFolder(machine, subdomain)
  await writeNewFile(machine, subdomain, 'index.html', text)
  const file = { name: apacheSiteFileName(host)!, text: renderSite(site), port: null }
  await applySite(machine, { file, replaces: null })
}

/** Returns an address whose ports the kernel can forward. `127.0.0.1` if this machine has none. */
function ownAddress(): string {
  const all = Object.entries(networkInterfaces()).flatMap(([name, list]) =>
    /incus|lxc|docker|^br/.test(name) ? [] : (list ?? [])
  )
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

/** Starts an instance with two CPUs, and tests which package registries it can reach (`reached`). */
export async function startSiteMachine(
  socket: string,
  { memory = '2GiB', disk = '6GiB' } = {}
): Promise<SiteMachine> {
  const incus = Incus.local(socket)
  const system = `projects-${randomUUID().slice(0, 8)}`
  const inside: SiteMachine['inside'] = async (...argv) => {
    const { exitCode, stdout, stderr } = await incus.instances.exec(system, argv, { timeout: 300 })
    return { exitCode, output: stdout.toString().trim(), errors: stderr.toString().trim() }
  }
  const isUp = () =>
    eventually(async () => {
      await waitForBoot(incus, system)
      const { network } = await incus.instances.state(system)
      const found = network?.eth0?.addresses.find(({ family }) => family === 'inet')
      if (!found) throw new Error('It has no address')
      return found.address
    }, 300_000)
  const succeeds = (...argv: string[]) =>
    inside(...argv).then(
      ({ exitCode }) => exitCode === 0,
      () => false
    )

  const profile = await incus.profiles.get('default')
  const wanted = {
    name: system,
    image: 'berth-base',
    config: { 'limits.cpu': '2', 'limits.memory': memory },
    devices: {
      root: { ...profile.devices.root!, size: disk },
      eth0: await nicWithFreeAddress(incus),
    },
    start: true,
  }
  await (await incus.instances.create(wanted)).wait(300)
  const privateIp = await isUp()
  // Port forwarding needs a static address. Provisioned instances have one too.
  const eth0 = { ...profile.devices.eth0!, 'ipv4.address': privateIp }
  await incus.instances.patch(system, { devices: { eth0 } })
  // The packages need not survive a power cut, so dpkg does not wait for fsync, which takes most of the installation
  // time.
  await incus.instances.pushFile(system, '/etc/dpkg/dpkg.cfg.d/unsafe-io', 'force-unsafe-io\n')
  await trustProxyAuthorities(incus, system)
  reachableRegistries.debian ||= await succeeds(
    'apt-get',
    '-q',
    '-o',
    'APT::Update::Error-Mode=any',
    'update'
  )
  reachableRegistries.npm ||= await succeeds('npm', 'view', '--fetch-retries=0', 'next', 'version')
  const customer = await makeCustomer()
  const visitor = await signIn(customer)
  const ip = ownAddress()
  const host = await makeHost(socket, { isLocal: true, ip, network: profile.devices.eth0!.network })
  const instance = await makeInstance(customer, {
    systemId: system,
    hostInstanceId: host.id,
    privateIp,
    ip,
    instanceType: 'regular',
  })
  await installSshKeys(instance, incus)
  await inside('systemctl', 'restart', 'ssh')
  const ssh = await forwardPort(instance, host, incus, { name: 'ssh', innerPort: 22 })
  await instance.merge({ ports: { ssh } }).save()

  const call: SiteMachine['call'] = async (path, body) => {
    const answer = await visitor.post(path, body)
    if (!answer.json.success) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    const data = answer.json.data as { id: number; operation_id: string }
    await runSteps(data.operation_id)
    return { id: data.id, operation: await Operation.findOrFail(data.operation_id) }
  }
  const works: SiteMachine['works'] = async (path, body) => {
    const { id, operation } = await call(path, body)
    if (operation.status !== 'done') throw new Error(`${operation.kind}: ${operation.error}`)
    return id
  }
  const upload: SiteMachine['upload'] = async (path, files) => {
    for (const [file, text] of Object.entries(files)) {
      const parts = file.split('/')
      const name = parts.pop()!
      const folder = [path, ...parts].join('/')
      for (let depth = 0; depth < parts.length; depth++) {
        const above = [path, ...parts.slice(0, depth)].join('/')
        const made = { path: above, name: parts[depth], type: 'folder' }
        await visitor.post(`/file-manager/store?server_instance_id=${instance.id}`, made)
      }
      const query = new URLSearchParams({
        path: folder,
        name,
        overwrite: '1',
        server_instance_id: String(instance.id),
      })
      const form = new FormData()
      form.append('file', new Blob([text]), name)
      const answer = await visitor.post(`/file-manager/upload-file?${query}`, form)
      if (answer.status !== 201) throw new Error(`${file}: ${answer.text}`)
    }
  }

  return {
    system,
    incus,
    customer,
    visitor,
    instance,
    reached: reachableRegistries,
    inside,
    isUp,
    call,
    works,
    upload,
    store: (stack, path) =>
      works('/project/store', { name: path, path, stack, server_instance_id: instance.id }),
    async addressOf(id) {
      const { json } = await visitor.get(`/project/${id}`)
      const [address] = (json.data!.project as ProjectView).addresses
      if (!address) throw new Error(`Project ${id} has no address`)
      return address.url
    },
    async close() {
      await retireHosts(host)
      await instance.merge({ status: 'deleted' }).save()
      await (await incus.instances.setState(system, 'stop', { force: true })).wait(300)
      await (await incus.instances.delete(system)).wait(300)
      await incus.close()
    },
  }
}
