import type { ReactNode } from 'react'
import { prefixOf } from '~/area'
import { List } from '~/components/list/list'
import { LinkButton } from '~/components/link_button'
import { Link } from '~/components/link'
import { CopyButton } from '@ui/copy_button'
import type { Area } from '~/types'
import { Addresses } from './addresses'
import { StatusSelect } from './status_select'
import type { ProjectListPage, ProjectRow } from './types'

const PROPS = ['page', 'length', 'count', 'counts', 'projects', 'projectStatus', 'errors']

interface ProjectListProps {
  area: Exclude<Area, 'public'>
  page: ProjectListPage
  /** why this person cannot change statuses */
  barred?: string | null
  empty: { title: string; hint: string; action?: ReactNode }
}

/** The list of projects of both areas. */
export function ProjectList({ area, page: answer, barred, empty }: ProjectListProps) {
  const { projects, projectStatus, projectStacks, statusChoices, page, length, count } = answer
  const prefix = prefixOf(area)
  const href = ({ id }: ProjectRow) => `${prefix}/project/${id}` as const
  return (
    <List<ProjectRow>
      path={`${prefix}/project/list`}
      storageKey="project-pagination"
      answer={{
        ...{ page, length, count },
        rows: projects,
        statuses: projectStatus,
        counts: answer.counts,
      }}
      only={PROPS}
      label="Projects"
      all="All Projects"
      rowKey={({ id }) => id}
      rowHref={href}
      struck={({ status }) => status === 'deleted'}
      empty={empty}
      columns={[
        {
          label: 'Name',
          phone: 'title',
          cell: (row) => <Link href={href(row)}>{row.name}</Link>,
        },
        {
          label: 'Address',
          cell: ({ addresses }) => <Addresses addresses={addresses} />,
        },
        { label: 'App Stack', cell: ({ stack }) => projectStacks[stack] },
        {
          label: 'Server',
          cell: ({ server_instance: { name, ip } }) => (
            <>
              {name}
              {ip && (
                <>
                  {' '}
                  <span className="mono">{ip}</span>
                  <CopyButton value={ip} copied="IP Copied!" what="IP" />
                </>
              )}
            </>
          ),
        },
        {
          label: 'Path',
          mono: true,
          cell: ({ path }) => (
            <>
              {path}
              <CopyButton value={path} copied="Path Copied!" what="path" />
            </>
          ),
        },
        {
          label: 'Status',
          width: '150px',
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
        {
          label: 'Action',
          align: 'right',
          width: '110px',
          // There the name is the link.
          phone: 'hidden',
          cell: (row) => (
            <LinkButton
              size="xs"
              variant="default"
              href={href(row)}
              aria-label={`Details of ${row.name}`}
            >
              Details
            </LinkButton>
          ),
        },
      ]}
    />
  )
}
