import type { ReactNode } from 'react'
import { prefixForArea } from '~/area_prefix'
import { CustomerCell } from '~/components/customer_cell'
import { rowLinkColumn } from '~/components/list/columns'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { Link } from '~/components/link'
import { CopyButton } from '@ui/copy_button'
import type { Area } from '~/types'
import { ProjectUrls } from './project_urls'
import { StatusSelect } from './status_select'
import type { ProjectRowWithCustomer, ProjectListPage } from './types'

interface ProjectListProps {
  area: Exclude<Area, 'public'>
  page: ProjectListPage
  barred?: string | null
  empty: { title: string; hint: string; action?: ReactNode }
}

export function ProjectList({ area, page: answer, barred, empty }: ProjectListProps) {
  const { projects, projectStatus, projectStacks, statusChoices } = answer
  const prefix = prefixForArea(area)
  const href = ({ id }: ProjectRowWithCustomer) => `${prefix}/project/${id}` as const
  return (
    <List<ProjectRowWithCustomer>
      path={`${prefix}/project/list`}
      name="project"
      answer={{ ...answer, rows: projects, statuses: projectStatus }}
      props={['projects', 'projectStatus']}
      live={['project', 'server_instance']}
      label="Projects"
      all="All Projects"
      rowKey={({ id }) => id}
      rowHref={href}
      struck={({ status }) => status === 'deleted'}
      empty={empty}
      searchLabel={
        area === 'admin'
          ? 'Search by name, address, server or customer'
          : 'Search by name, address or server'
      }
      columns={[
        {
          label: 'Name',
          sort: 'name',
          width: '17%',
          phone: 'title',
          cell: (row) => {
            const name = (
              <Link href={href(row)} title={row.name}>
                {row.name}
              </Link>
            )
            return area === 'admin' ? <TwoLineCell second={row.path}>{name}</TwoLineCell> : name
          },
        },
        ...(area === 'admin' ? [customerColumn] : []),
        {
          label: 'Address',
          phone: 'second',
          cell: ({ addresses }) => <ProjectUrls addresses={addresses} short />,
        },
        {
          label: 'App Stack',
          sort: 'stack',
          width: '96px',
          cell: ({ stack }) => projectStacks[stack],
        },
        {
          label: 'Server',
          sort: 'server',
          width: '20%',
          phone: 'second',
          cell: ({ server_instance: { name, ip } }) => (
            <>
              <span title={ip ? `${name} ${ip}` : name}>{name}</span>
              {ip && (
                <span className="mono" title={ip}>
                  {ip}
                </span>
              )}
              {ip && <CopyButton value={ip} copied="IP Copied!" what="IP" />}
            </>
          ),
        },
        ...(area === 'admin' ? [] : [pathColumn]),
        {
          label: 'Status',
          sort: 'status',
          width: '146px',
          phone: 'aside',
          cell: (row) => (
            <StatusSelect
              project={row}
              path={`${prefix}/project/change-status`}
              statuses={projectStatus}
              choices={statusChoices}
              barred={barred}
            />
          ),
        },
        rowLinkColumn({ label: 'Details', href, nameOf: ({ name }) => name, phone: 'hidden' }),
      ]}
    />
  )
}

const customerColumn: Column<ProjectRowWithCustomer> = {
  label: 'Customer',
  sort: 'customer',
  width: '14%',
  cell: ({ customer }) => <CustomerCell customer={customer} />,
}

const pathColumn: Column<ProjectRowWithCustomer> = {
  label: 'Path',
  sort: 'path',
  width: '13%',
  mono: true,
  cell: ({ path }) => (
    <>
      <span title={path}>{path}</span>
      <CopyButton value={path} copied="Path Copied!" what="path" />
    </>
  ),
}
