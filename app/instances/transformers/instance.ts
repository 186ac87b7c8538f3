import type { CustomerSummary } from '#core/contracts/customer_summary'
import {
  type BillingPeriod,
  type InstanceType,
  packageView,
  type PackageView,
  type Price,
  priceFor,
  diskQuotaWithoutImage,
  type Specifications,
  type SubscriptionView,
} from '#catalog/public'
import type { AuditEntryView } from '#core/audit/entry'
import type { DomainView } from '#instances/views/public_domain_view'
import { offlineHostMessage } from '#hosts/public'
import { UNFINISHED_STATUSES, type OperationView } from '#core/models/operation'
import type { Permission } from '#core/permission'
import { DISK_WARNING_RATIO, maxProcesses } from '#instances/runtime_limits'
import type ServerInstance from '#instances/models/server_instance'
import type { InstanceStatus } from '#instances/models/server_instance'
import {
  boostRejectionReason,
  type BoostTimers,
  computeBoostTimers,
  type InstanceAction,
  instancePermissions,
} from '#instances/states/instance'

/** Stands in pages for what is there but never leaves the server. */
const SECRET_MASK = '••••••••'

/** How full a disk is; bytes. */
export interface DiskView {
  used: number
  total: number
  /** Whether people are to be warned. */
  nearly_full: boolean
}

/** What is left of a deleted instance: when it went, and who had asked for it. */
export interface DeletionView {
  /** ISO time. */
  at: string
  /** As the audit log names people. */
  by: string | null
}

/** What was done to an instance, newest first. */
export interface HistoryView {
  activity: AuditEntryView[]
  operations: OperationView[]
}

/** An instance on a card, in both areas. */
export interface InstanceCard {
  id: number
  name: string
  status: InstanceStatus
  /** Why it failed or was suspended. */
  status_reason: string | null
  /** Message about its offline host; null while the host answers. */
  host_notice: string | null
  ip: string | null
  instance_type: InstanceType
  specifications: Specifications
  /** Processes and threads that it may have at once. */
  processes: number
  /** As measured last; null is not known. */
  disk: DiskView | null
  /** Name of a port to the port of `ip` that leads to it. */
  ports: Record<string, number>
  server_package_id: number
  /** The number of the package's version that it has. */
  package_version: number
  billing_period: BillingPeriod
  is_default: boolean
  /** ISO time. */
  created_at: string
  deleted_at: string | null
  /** What can be done now, with the reason where it cannot. */
  can: Record<InstanceAction, Permission>
  /** The unfinished or failed work on it, for live steps. */
  operation: OperationView | null
}

/** A customer's instance in detail (product, "Machines"). */
export interface InstanceView extends InstanceCard {
  boost_mode: boolean
  boost: BoostTimers
  /** Why it cannot be boosted, its countdowns apart. */
  boost_barred: string | null
  username: string | null
  /** Masked: neither the name in Incus nor the key leaves the server. */
  system_id: string | null
  ssh_key: string | null
  domains: DomainView[]
  /** As it was sold. */
  package: PackageView
  /** The price that counts for its billing period. */
  pricing: Price | null
  /** What was agreed; null where nothing is billed. */
  subscription: SubscriptionView | null
}

/** What staff see on a card. */
export interface AdminInstanceCard extends InstanceCard {
  customer: CustomerSummary
  host: { id: number; name: string } | null
}

/** What staff see of an instance (product, "Machines"). */
export interface AdminInstanceView extends AdminInstanceCard {
  username: string | null
  system_id: string | null
  private_ip: string | null
  boost_mode: boolean
  boost: BoostTimers
  domains: string[]
  domain_list: DomainView[]
  package: PackageView
  pricing: Price | null
  subscription: SubscriptionView | null
}

export interface InstanceCardContext {
  defaultInstanceId?: number | null
  operation?: OperationView | null
}

/** What the details of an instance need besides. */
export interface InstanceViewContext extends InstanceCardContext {
  domains: DomainView[]
  subscription: SubscriptionView | null
}

/** Needs `packageVersion` and `host` loaded. */
export function instanceCard(row: ServerInstance, context: InstanceCardContext = {}): InstanceCard {
  const operation = context.operation ?? null
  const busy = operation !== null && UNFINISHED_STATUSES.includes(operation.status)
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    status_reason: row.statusReason,
    host_notice: row.host?.status === 'offline' ? offlineHostMessage(row.host.seenAt) : null,
    ip: row.ip,
    instance_type: row.instanceType,
    specifications: row.packageVersion.specifications,
    processes: maxProcesses(row.limits),
    disk: diskView(row),
    ports: row.ports,
    server_package_id: row.serverPackageId,
    package_version: row.packageVersion.number,
    billing_period: row.billingPeriod,
    is_default: context.defaultInstanceId === row.id,
    created_at: row.createdAt.toISO()!,
    deleted_at: row.deletedAt?.toISO() ?? null,
    can: instancePermissions(row, busy),
    operation,
  }
}

/** Needs `package`, `packageVersion` and `host` loaded. */
export function instanceView(row: ServerInstance, context: InstanceViewContext): InstanceView {
  return {
    ...instanceCard(row, context),
    boost_mode: row.boostMode,
    boost: computeBoostTimers(row),
    boost_barred: boostRejectionReason(row),
    username: row.username,
    system_id: row.systemId ? SECRET_MASK : null,
    ssh_key: row.sshKey ? SECRET_MASK : null,
    domains: context.domains,
    package: packageView(row.package, row.packageVersion),
    pricing: priceFor(row.packageVersion, row.billingPeriod),
    subscription: context.subscription,
  }
}

export function adminInstanceCard(
  row: ServerInstance,
  customer: CustomerSummary,
  context: InstanceCardContext = {}
): AdminInstanceCard {
  return {
    ...instanceCard(row, context),
    customer,
    host: row.host ? { id: row.host.id, name: row.host.name } : null,
  }
}

export function adminInstanceView(
  row: ServerInstance,
  customer: CustomerSummary,
  context: InstanceViewContext
): AdminInstanceView {
  return {
    ...adminInstanceCard(row, customer, context),
    username: row.username,
    system_id: row.systemId,
    private_ip: row.privateIp,
    boost_mode: row.boostMode,
    boost: computeBoostTimers(row),
    domains: context.domains.map(({ subdomain }) => subdomain),
    domain_list: context.domains,
    package: packageView(row.package, row.packageVersion),
    pricing: priceFor(row.packageVersion, row.billingPeriod),
    subscription: context.subscription,
  }
}

function diskView({ diskUsed: used, diskBytes }: ServerInstance): DiskView | null {
  const total = diskQuotaWithoutImage(diskBytes)
  if (used === null || total <= 0) return null
  return { used, total, nearly_full: used >= total * DISK_WARNING_RATIO }
}
