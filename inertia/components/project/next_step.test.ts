import { expect, it } from 'vitest'
import { nextStep } from './next_step'
import type { ProjectView } from './types'

const project = {
  status: 'active',
  barred: null,
  operation: null,
  has_processes: false,
  app_port: null,
  virtual_host: null,
  domain: null,
  addresses: [],
} as unknown as ProjectView
const host = { type: 'static' } as unknown as ProjectView['virtual_host']
const domain = { subdomain: 'a.example', status: 'pending', step: 'dns' } as ProjectView['domain']
const titleFor = (changes: Partial<ProjectView>) =>
  nextStep(Object.assign({}, project, changes))?.title ?? null

it('the next step of a project is the first step that is missing before visitors can reach the site', () => {
  expect(titleFor({})).toBe('Set up the virtual host')
  expect(titleFor({ addresses: [{ url: 'http://192.0.2.7:1', status: null }] })).toBe(
    'Set up the virtual host'
  )
  expect(titleFor({ has_processes: true })).toBe('Start a process')
  expect(titleFor({ has_processes: true, app_port: 3000, virtual_host: host })).toBeNull()
  expect(titleFor({ virtual_host: host, domain })).toBe('Point your domain to this project')
  const certified = Object.assign({}, domain, { step: 'certificate' }) as ProjectView['domain']
  expect(titleFor({ virtual_host: host, domain: certified })).toBeNull()
  expect(titleFor({ virtual_host: host })).toBeNull()
  // Operations are deleted after 90 days, so the port at the last start is unknown then.
  expect(titleFor({ has_processes: true, virtual_host: host })).toBeNull()
})

it('a project that cannot be changed has no next step', () => {
  expect(titleFor({ status: 'inactive' })).toBeNull()
  expect(titleFor({ barred: 'Its server instance is not active.' })).toBeNull()
  const operation = { status: 'running' } as ProjectView['operation']
  expect(titleFor({ operation })).toBeNull()
})
