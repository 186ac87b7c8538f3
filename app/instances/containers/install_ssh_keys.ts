import { SSH_USER } from '#instances/instance_machines'
import type ServerInstance from '#instances/models/server_instance'
import type { Incus } from '#packages/incus/main'
import { generateKeyPair } from '#packages/machine/main'
import { text } from 'node:stream/consumers'

/** User and group id of the login user `berth` in the base image. */
const OWNER_IDS = { uid: 1000, gid: 1000 }
const OWNER_HOME = `/home/${SSH_USER}`
const HOST_KEY_PATH = '/etc/ssh/ssh_host_ed25519_key'

/**
 * Installs Berth's login key and a new host key in the instance, and stores the host key that it
 * reads back. Call it before the first start; it can be repeated until then.
 */
export async function installSshKeys(instance: ServerInstance, incus: Incus): Promise<void> {
  const name = instance.systemId!
  if (!instance.sshKey) {
    const { privateKey, publicKey } = generateKeyPair(`berth-${instance.id}`)
    instance.merge({ username: SSH_USER, sshKey: privateKey, sshPublicKey: publicKey })
    await instance.save()
  }
  const { instances } = incus
  await instances.makeDirectory(name, `${OWNER_HOME}/.ssh`, { ...OWNER_IDS, mode: '0700' })
  await instances.pushFile(
    name,
    `${OWNER_HOME}/.ssh/authorized_keys`,
    `${instance.sshPublicKey}\n`,
    {
      ...OWNER_IDS,
      mode: '0600',
    }
  )
  const own = generateKeyPair(instance.name)
  await instances.pushFile(name, HOST_KEY_PATH, own.privateKey, { mode: '0600' })
  await instances.pushFile(name, `${HOST_KEY_PATH}.pub`, `${own.publicKey}\n`, { mode: '0644' })
  instance.hostKey = await readHostKey(name, incus)
  await instance.save()
}

/** Call it after the first start, because Incus writes another hostname at that start. */
export async function setHostname({ name, systemId }: ServerInstance, incus: Incus): Promise<void> {
  const hosts = `127.0.0.1\tlocalhost\n127.0.1.1\t${name}\n::1\tlocalhost ip6-localhost ip6-loopback\n`
  await incus.instances.pushFile(systemId!, '/etc/hostname', `${name}\n`)
  await incus.instances.pushFile(systemId!, '/etc/hosts', hosts)
  await incus.instances.exec(systemId!, ['hostname', name], { timeout: 30 })
}

async function readHostKey(name: string, incus: Incus): Promise<string> {
  const file = await incus.instances.pullFile(name, `${HOST_KEY_PATH}.pub`)
  if (file.type !== 'file') throw new Error(`${HOST_KEY_PATH}.pub is no file`)
  const [type, key] = (await text(file.content)).trim().split(/\s+/)
  return `${type} ${key}`
}
