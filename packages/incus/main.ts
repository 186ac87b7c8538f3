import { Certificates } from './certificates.ts'
import { Cluster } from './cluster.ts'
import type { CertificateAndKey } from './self_signed_certificate.ts'
import { EventStream } from './events.ts'
import type { EventType } from './events.ts'
import { Images } from './images.ts'
import { Instances } from './instances.ts'
import { resolveTokenServer, parseTrustToken } from './trust_token.ts'
import { fetchMetrics } from './metrics.ts'
import type { InstanceMetrics } from './metrics.ts'
import { Networks } from './networks.ts'
import { Operation } from './operation.ts'
import type { OperationState } from './operation.ts'
import { Profiles } from './profiles.ts'
import { Server } from './server.ts'
import type { ServerResources, ServerInfo } from './server.ts'
import { StoragePools } from './storage.ts'
import { Transport } from './transport.ts'
import type { RemoteIncusTarget } from './transport.ts'

export { IncusError, isIncusError, nullIfNotFound } from './errors.ts'
export type { IncusErrorKind } from './errors.ts'
export { Operation } from './operation.ts'
export type { OperationState } from './operation.ts'
export { createClientCertificate, certificateFingerprint } from './self_signed_certificate.ts'
export type { CertificateAndKey } from './self_signed_certificate.ts'
export {
  bridgeDhcpConfig,
  isolateTenants,
  removeTenantIsolation,
  TENANT_ACL,
  tenantRules,
} from './tenant_isolation.ts'
export type { PublicServices } from './tenant_isolation.ts'
export { EventStream } from './events.ts'
export type { EventType, IncusEvent } from './events.ts'
export { parseTrustToken } from './trust_token.ts'
export { parseMetrics } from './metrics.ts'
export type { InstanceMetrics } from './metrics.ts'
export type { ExecOptions, ExecResult, ExecStreams, ExecTerminal } from './exec.ts'
export type {
  Device,
  FileOptions,
  Instance,
  InstanceAddress,
  InstanceChange,
  InstanceFile,
  InstanceState,
  InstanceType,
  NewInstance,
  StateAction,
} from './instances.ts'
export { powerOff, powerOn, removeContainer, SHUTDOWN_SECONDS } from './power.ts'
export type { PowerOffOptions } from './power.ts'
export type { Image, SplitImage } from './images.ts'
export type { Acl, AclRule, DhcpLease, Network, NetworkState } from './networks.ts'
export type { PoolResources, StoragePool } from './storage.ts'
export type { Profile } from './profiles.ts'
export type { TrustedCertificate, TrustToken } from './certificates.ts'
export type { MemberState } from './cluster.ts'
export type { ServerResources, ServerInfo, ServerWarning } from './server.ts'
export type { RemoteIncusTarget } from './transport.ts'

/** REST client of one Incus server or cluster. Its calls throw `IncusError`. */
export class Incus {
  readonly server: Server
  readonly instances: Instances
  readonly images: Images
  readonly networks: Networks
  readonly storagePools: StoragePools
  readonly profiles: Profiles
  readonly certificates: Certificates
  readonly cluster: Cluster
  readonly #transport: Transport

  private constructor(transport: Transport) {
    this.#transport = transport
    this.server = new Server(transport)
    this.instances = new Instances(transport)
    this.images = new Images(transport)
    this.networks = new Networks(transport)
    this.storagePools = new StoragePools(transport)
    this.profiles = new Profiles(transport)
    this.certificates = new Certificates(transport)
    this.cluster = new Cluster(transport)
  }

  static local(socketPath: string, options: { project?: string } = {}): Incus {
    return new Incus(Transport.unix(socketPath, options.project))
  }

  /** Connects by HTTPS to a server with a pinned certificate. */
  static remote(address: RemoteIncusTarget, options: { project?: string } = {}): Incus {
    return new Incus(Transport.tls(address, options.project))
  }

  /**
   * Uses a trust token (from `incus config trust add NAME`) to register a new client certificate on its server. Returns
   * the target for `Incus.remote`. Pass `address` if this machine cannot reach the addresses in the token.
   */
  static async joinWithToken(
    token: string,
    name: string,
    options: { address?: string; keyPair?: CertificateAndKey } = {}
  ): Promise<RemoteIncusTarget> {
    const address = await resolveTokenServer(parseTrustToken(token), name, options)
    const incus = Incus.remote(address)
    try {
      await incus.certificates.trustMe(name, token.trim())
      return address
    } finally {
      await incus.close()
    }
  }

  async info(): Promise<ServerInfo> {
    return this.server.info()
  }

  async resources(): Promise<ServerResources> {
    return this.server.resources()
  }

  operation(id: string): Operation {
    return new Operation(this.#transport, id)
  }

  /** Lists running and pending operations. */
  async operations(): Promise<OperationState[]> {
    const query = { recursion: 1 }
    type ByStatus = Record<string, OperationState[]>
    const { metadata } = await this.#transport.request<ByStatus>('GET', '/1.0/operations', {
      query,
    })
    return [...(metadata.running ?? []), ...(metadata.pending ?? [])]
  }

  events(types: EventType[] = ['lifecycle']): Promise<EventStream> {
    return EventStream.open(this.#transport, types)
  }

  metrics(): Promise<InstanceMetrics[]> {
    return fetchMetrics(this.#transport)
  }

  close(): Promise<void> {
    return this.#transport.close()
  }
}
/**
 * Config key that records for which disk Berth has applied the settings in its database. `APPLIED_VALUE_RESTORED`: the
 * container was imported from a backup, so they must be applied again. Berth's web application defines the other values
 * (app/instances/containers/reapply_recorded_settings.ts).
 */
export const RECORDS_APPLIED_MARK_KEY = 'user.berth.applied'
export const APPLIED_VALUE_RESTORED = 'restored'
/**
 * Config key whose value is a time (ISO 8601). On this disk, Berth has stopped the sites and processes of all projects
 * that were deleted before this time. The files of deleted projects stay.
 */
export const APPLIED_AT_CONFIG_KEY = 'user.berth.applied.at'

export { TMPFS_LIMIT_FILES, TMPFS_PROGRAM_PATH } from './tmpfs_limits.ts'
