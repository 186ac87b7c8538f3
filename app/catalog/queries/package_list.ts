import type { BillingPeriod } from '#catalog/models/server_package'
import ServerPackage from '#catalog/models/server_package'
import { listVersionsByPackage } from '#catalog/queries/package_versions'
import { packageAvailabilityProvider } from '#catalog/package_availability_provider'
import { packageWithAvailabilityView } from '#catalog/transformers/package'
import type { PackageRow } from '#catalog/transformers/page_props'
import {
  type SqlCondition,
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
} from '#core/list_page'
import db from '@adonisjs/lucid/services/db'

export const packageStatuses = { offered: 'Offered', withdrawn: 'Not offered' }

const STATUS_SQL = `case when offered then 'offered' else 'withdrawn' end`

function priceFor(period: BillingPeriod): string {
  return `(select (one ->> 'price')::numeric from jsonb_array_elements(pricing) one
    where one ->> 'period' = '${period}')`
}

function oneOf(column: string, values: string[]) {
  return (value: string): SqlCondition | null =>
    values.includes(value) ? { sql: `${column} = ?`, bindings: [value] } : null
}

export const packageListDefinition: ListDefinition = {
  statuses: packageStatuses,
  sorts: {
    name: 'lower(name)',
    type: 'instance_type',
    month: priceFor('month'),
    year: priceFor('year'),
    offered: 'status',
  },
  ties: 'instance_type, position, id',
  search: searchAnywhereIn('name'),
  filters: {
    type: oneOf('instance_type', ['regular', 'shared']),
    series: oneOf('server_series', ['bronze', 'silver', 'gold']),
  },
}

export async function listPackages(list: ListRequest) {
  const packages = db
    .from('server_packages')
    .select('*', db.raw(`${STATUS_SQL} as status`))
    .as('packages')
  const { rows: records, ...facts } = await queryListPage<{ id: number }>(
    db.from(packages),
    list,
    packageListDefinition
  )
  const ids = records.map(({ id }) => id)
  const rows = await ServerPackage.query().whereIn('id', ids)
  rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
  const [offers, versions] = await Promise.all([
    packageAvailabilityProvider.offersOf(rows),
    listVersionsByPackage(ids),
  ])
  return {
    ...facts,
    packages: offers.map(({ row, room }): PackageRow => {
      const sold = versions.get(row.id) ?? []
      return {
        ...packageWithAvailabilityView({ row, room }),
        position: row.position,
        versions: sold,
        instances: sold.reduce((sum, { instances }) => sum + instances, 0),
      }
    }),
    packageStatus: packageStatuses,
  }
}
