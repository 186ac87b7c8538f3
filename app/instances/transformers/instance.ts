import type { CustomerSummary } from '#core/contracts/customer_summary'
import {
  type BillingPeriod,
  type InstanceType,
  packageView,
  type PackageView,
  type PackagePrice,
  priceFor,
  diskQuotaWithoutImage,
  type Specifications,
  type SubscriptionView,
} from '#catalog/public'
import type { AuditEntryView } from '#core/audit/entry'
import type { DomainView } from '#instances/transformers/domain_view'
import { offlineHostMessage } from '#hosts/public'
import type { OperationView } from '#core/contracts/operation_view'
import { UNFINISHED_STATUSES } from '#core/models/operation'
import type { Permission } from '#core/permission'
import { DISK_WARNING_RATIO, maxProcesses } from '#instances/runtime_limits'
import type ServerInstance from '#instances/models/server_instance'
import type { InstanceStatus } from '#instances/models/server_instance'
import {
  boostRejectionReasonIgnoringCountdowns,
  type BoostTimers,
  computeBoostTimers,
  type InstanceAction,
  instancePermissions,
} from '#instances/states/instance'

const SECRET_MASK = '••••••••'

/** Disk size and usage in bytes. */
export interface DiskView {
  used: number
  total: number
  nearly_full: boolean
}

export interface DeletionView {
  /** ISO time. */
  at: string
  /** Who requested the deletion, in the format of the audit log. */
  by: string | null
}

/** Entries are newest first. */
export interface HistoryView {
  activity: AuditEntryView[]
  operations: OperationView[]
}

export interface InstanceCard {
  id: number
  name: string
  status: InstanceStatus
  status_reason: string | null
  /** For customers. Null unless the host is offline. */
  host_notice: string | null
  /** Whether the host responds although its status is offline. */
  host_responds: boolean
  ip: string | null
  instance_type: InstanceType
  specifications: Specifications
  processes: number
  /** The latest measurement; null if unknown. */
  disk: DiskView | null
  /** Forwarded ports of `ip` by name: `{ ssh: 20001 }`. */
  ports: Record<string, number>
  server_package_id: number
  package_version: number
  billing_period: BillingPeriod
  is_default: boolean
  /** ISO time. */
  created_at: string
  deleted_at: string | null
  can: Record<InstanceAction, Permission>
  /** The newest operation, if it is unfinished or failed. */
  operation: OperationView | null
}

/** An instance as its customer sees it (docs/product.md, "Machines"). */
export interface InstanceView extends InstanceCard {
  boost_mode: boolean
  boost: BoostTimers
  /** Why a boost (Build Mode) is impossible, regardless of its countdowns. */
  boost_barred: string | null
  username: string | null
  /** Masked, as is `ssh_key`. Customers never get the instance's name in Incus or its SSH key. */
  system_id: string | null
  ssh_key: string | null
  domains: DomainView[]
  package: PackageView
  pricing: PackagePrice | null
  /** Null if the instance is not billed. */
  subscription: SubscriptionView | null
}

export interface AdminInstanceCard extends InstanceCard {
  customer: CustomerSummary
  host: { id: number; name: string } | null
}

/** An instance as staff see it (docs/product.md, "Machines"). */
export interface AdminInstanceView extends AdminInstanceCard {
  username: string | null
  system_id: string | null
  private_ip: string | null
  boost_mode: boolean
  boost: BoostTimers
  domains: string[]
  domain_list: DomainView[]
  package: PackageView
  pricing: PackagePrice | null
  subscription: SubscriptionView | null
}

export interface InstanceCardContext {
  defaultInstanceId?: number | null
  operation?: OperationView | null
}

export interface InstanceViewContext extends InstanceCardContext {
  domains: DomainView[]
  subscription: SubscriptionView | null
}

/** Requires `packageVersion` and `host` to be loaded. */
export function instanceCard(row: ServerInstance, context: InstanceCardContext = {}): InstanceCard {
  const operation = context.operation ?? null
  const busy = operation !== null && UNFINISHED_STATUSES.includes(operation.status)
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    status_reason: row.statusReason,
    host_notice: row.host?.status === 'offline' ? offlineHostMessage(row.host) : null,
    host_responds: row.host?.respondsThoughOffline ?? false,
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

/** Requires `package`, `packageVersion` and `host` to be loaded. */
export function instanceView(row: ServerInstance, context: InstanceViewContext): InstanceView {
  return {
    ...instanceCard(row, context),
    boost_mode: row.boostMode,
    boost: computeBoostTimers(row),
    boost_barred: boostRejectionReasonIgnoringCountdowns(row),
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

function diskView(row: ServerInstance): DiskView | null {
  const { diskUsed: used } = row
  const total = diskQuotaWithoutImage(row)
  if (used === null || total <= 0) return null
  return { used, total, nearly_full: used >= total * DISK_WARNING_RATIO }
}
