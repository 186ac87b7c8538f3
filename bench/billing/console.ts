/**
 * The console process of the benchmarks `billing`, `pages`, `chat` and `front`. It fills its database, and runs the
 * tasks that the benchmark, its parent process, sends.
 */
import { startConsoleProcess } from '../console_process.js'
import { measureMs } from '../measurement.js'

const answerTasks = await startConsoleProcess()

const { default: db } = await import('@adonisjs/lucid/services/db')
const { createDueCharges, runBilling, mailNewBills } = await import('#billing/charging/run_billing')
const { makeBills } = await import('#billing/charging/make_bills')
const { applyListCountChanges } = await import('#core/precounted_list')
const { DateTime } = await import('luxon')

const now = DateTime.fromISO('2026-11-01T13:00', { zone: 'Asia/Dhaka' })

async function customers({ customers: many }: { customers: number }): Promise<void> {
  await db.rawQuery(
    `insert into people (id, audience, name, email)
     select 1000000 + n, 'customer', 'Customer ' || n, 'customer-' || n || '@example.com'
     from generate_series(1, ?) n`,
    [many]
  )
  await db.rawQuery(
    `insert into accounts (id, name, status) select 1000000 + n, 'Customer ' || n, 'active'
     from generate_series(1, ?) n on conflict do nothing`,
    [many]
  )
}

async function staff({ many }: { many: number }): Promise<{ email: string; password: string }[]> {
  const { default: Person } = await import('#identity/models/person')
  const password = 'a quay at low tide'
  const facts = { audience: 'staff', role: 'administrator', name: 'Bench', password } as const
  const made = Array.from({ length: many }, (_, index) =>
    Person.create({ ...facts, email: `bench-${index}@example.com` })
  )
  return (await Promise.all(made)).map(({ email }) => ({ email, password }))
}

async function owner({
  rows: many,
}: {
  rows: number
}): Promise<{ email: string; password: string }> {
  const { default: Person } = await import('#identity/models/person')
  const { default: ServerInstance } = await import('#instances/models/server_instance')
  const password = 'a quay at low tide'
  const email = 'owner@example.com'
  const { id } = await Person.create({ audience: 'customer', name: 'Owner', email, password })
  const any = await ServerInstance.firstOrFail()
  const { hostInstanceId, serverPackageId, vcpu, memoryBytes, diskBytes } = any
  const { id: serverId } = await ServerInstance.create({
    hostInstanceId,
    serverPackageId,
    vcpu,
    memoryBytes,
    diskBytes,
    name: 'web',
    accountId: id,
    instanceType: 'regular',
    status: 'stopped',
    ports: {},
    billingPeriod: 'month',
    boostMode: true,
  })
  for (const [table, columns] of [
    [
      'projects (account_id, server_instance_id, name, stack, path, status)',
      `${serverId}, 'site-' || n, 'static', 'own/' || n, 'active'`,
    ],
    [
      `bills (account_id, family, number, currency, amount, paid, status, billing_date, due_date, zone,
        issued, attempts, dollar_rate)`,
      `'console', 'O-2026-' || lpad(n::text, 7, '0'), 'USD', 1 + n, 0, 'pending', date '2026-11-01',
        date '2026-11-08', 'Asia/Dhaka', '{}', 0, 122.5`,
    ],
    ['mail_senders (account_id, email, status)', `'own-' || n || '@example.com', 'verified'`],
  ]) {
    await db.rawQuery(
      `insert into ${table} select ${Number(id)}, ${columns} from generate_series(1, ?) n`,
      [many]
    )
  }
  return { email, password }
}

async function talkers(): Promise<number[]> {
  const { default: Person } = await import('#identity/models/person')
  const { sendMessage } = await import('#support/actions/send_message')
  const ids: number[] = []
  for (const name of ['quiet', 'loud']) {
    const facts = { audience: 'customer', name, email: `${name}@example.com` } as const
    const { id } = await Person.create({ ...facts, password: 'a quay at low tide' })
    await sendMessage({ id, audience: 'customer', name } as never, id, { text: 'Hello' })
    ids.push(id)
  }
  return ids
}

/** Creates a host, and one instance on it for each of 100 customers. */
async function servers(): Promise<void> {
  const { default: HostInstance } = await import('#hosts/models/host_instance')
  const { default: ServerInstance } = await import('#instances/models/server_instance')
  const { default: ServerPackage } = await import('#catalog/models/server_package')
  const { id: hostInstanceId } = await HostInstance.create({
    name: 'host',
    ip: '127.0.0.1',
    status: 'active',
    provider: 'bench',
    isLocal: false,
    sshPort: 22,
    storagePool: 'berth',
    network: 'incusbr0',
    specifications: {},
    cpuTotal: 1_000,
    memoryTotal: 1024 ** 4,
    diskTotal: 1024 ** 4,
  })
  const { id: serverPackageId } = await ServerPackage.findByOrFail('name', 'Bronze 1')
  await ServerInstance.createMany(
    Array.from({ length: 100 }, (_, index) => ({
      accountId: 1_000_001 + index,
      hostInstanceId,
      serverPackageId,
      name: `web-${index}`,
      instanceType: 'regular' as const,
      status: 'active' as const,
      ports: {},
      billingPeriod: 'month' as const,
      boostMode: true,
      vcpu: 1,
      memoryBytes: 1024 ** 3,
      diskBytes: 1024 ** 3,
    }))
  )
}

/** Creates bills, projects and mail senders, `rows` of each, for 100 customers together. */
async function rows({ rows: many }: { rows: number }): Promise<void> {
  await customers({ customers: 100 })
  await servers()
  await db.rawQuery(
    `insert into projects (account_id, server_instance_id, name, stack, path, status, virtual_host)
     select account_id, id, 'project-' || n, 'node', 'sites/' || n,
       case n % 5 when 0 then 'inactive' else 'active' end,
       jsonb_build_object('subdomain', 'shop-' || n)
     from generate_series(1, ?) n
     join (select *, row_number() over (order by id) as place from server_instances) one
       on one.place = n % 100 + 1`,
    [many]
  )
  await db.rawQuery(
    `insert into bills (family, number, account_id, currency, amount, paid, status, billing_date,
       due_date, zone, issued, account_number, trx_id, reference, attempts, dollar_rate)
     select 'console', 'B-2026-' || lpad(n::text, 7, '0'), 1000001 + n % 100, 'USD', 1 + n % 500,
       case when n % 5 = 0 then 1 + n % 500 else 0 end,
       case n % 5 when 0 then 'success' when 1 then 'processing' else 'pending' end,
       date '2026-11-01', date '2026-11-08', 'Asia/Dhaka', '{}', '01711000000',
       case when n % 5 < 2 then 'T' || lpad(n::text, 9, '0') end, 'web', 1, 122.5
     from generate_series(1, ?) n`,
    [many]
  )
  await db.rawQuery(
    `insert into mail_senders (account_id, email, status)
     select 1000001 + n % 100, 'sender-' || n || '@shop-' || n % 1000 || '.example.com',
       case n % 5 when 0 then 'pending' else 'verified' end
     from generate_series(1, ?) n`,
    [many]
  )
  await applyListCountChanges()
}

interface Statement {
  sql: string
  bindings: unknown[]
}

/**
 * Returns the SQL statements that a page of the list of bills runs, and the median duration of its list queries in
 * milliseconds.
 */
async function asks({
  query,
}: {
  query: object
}): Promise<{ statements: Statement[]; took: number }> {
  const { adminBillListDefinition, billsVisibleTo } = await import('#billing/queries/bills')
  const { queryListPage, parseListRequest } = await import('#core/list_page')
  const { loadCustomersById } = await import('#accounts/public')
  const { loadDollarRate } = await import('#core/settings/dollar_rate')
  const asked = parseListRequest({ request: { qs: () => query } } as never, adminBillListDefinition)
  const page = async () => {
    const bills = billsVisibleTo({ audience: 'staff' } as never)
    return queryListPage<{ accountId: number }>(bills, asked, adminBillListDefinition)
  }
  const took: number[] = []
  for (let count = 0; count < 21; count++) took.push(await measureMs(page))
  const statements: Statement[] = []
  const hear = ({ sql, bindings }: Statement) => void statements.push({ sql, bindings })
  const client = db.connection().getReadClient()
  client.on('query', hear)
  const { rows: found } = await page()
  await Promise.all([loadDollarRate(), loadCustomersById(found.map(({ accountId }) => accountId))])
  client.removeListener('query', hear)
  return { statements, took: took.sort((a, b) => a - b)[10] }
}

/** Runs `work`. Returns its duration in milliseconds and this process's peak memory in MB. */
async function measured(work: () => Promise<void>): Promise<{ took: number; memory: number }> {
  let memory = 0
  const look = () => void (memory = Math.max(memory, process.memoryUsage.rss() / 1e6))
  const timer = setInterval(look, 100)
  try {
    const took = await measureMs(work)
    look()
    return { took, memory }
  } finally {
    clearInterval(timer)
  }
}

answerTasks({
  hello: async () => true,
  customers,
  staff,
  talkers,
  owner,
  rows,
  asks,
  bill: () =>
    measured(async () => {
      await createDueCharges(now)
      await makeBills(now)
    }),
  tell: () => measured(() => mailNewBills()),
  again: () => measured(() => runBilling(now)),
})
