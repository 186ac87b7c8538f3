import { describe, expect, it } from 'vitest'
import {
  hasNoListParams,
  loadListState,
  saveListState,
  listStateFromProps,
  listStorageKey,
  listQuery,
} from './list_state'

describe('Saved state of a list', () => {
  const state = {
    page: 3,
    length: 100,
    status: 'active',
    searchText: 'shop',
    sort: '-name',
    filters: { from: '2026-11-01' },
  }

  it('is restored unchanged, by a separate key for each list', () => {
    saveListState('project-pagination', state)
    expect(loadListState('project-pagination')).toEqual(state)
    expect(loadListState('email-pagination')).toBeNull()
    expect(JSON.parse(sessionStorage.getItem('project-pagination')!)).toEqual(state)
  })

  it('has separate keys in each area', () => {
    expect(listStorageKey('customer', 'project')).toBe('project-pagination')
    expect(listStorageKey('admin', 'project')).toBe('admin-project-pagination')
  })

  it.each(['', 'null', '[1]', '{"page":0,"length":50}', '{"page":1,"length":7}', '{'])(
    'is ignored if it is invalid: %j',
    (text) => {
      sessionStorage.setItem('project-pagination', text)
      expect(loadListState('project-pagination')).toBeNull()
    }
  )

  it('replaces invalid fields by defaults', () => {
    const odd = { page: 1, length: 50, status: 7, searchText: null, sort: {}, filters: { a: 1 } }
    sessionStorage.setItem('project-pagination', JSON.stringify(odd))
    expect(loadListState('project-pagination')).toEqual({
      page: 1,
      length: 50,
      status: '',
      searchText: '',
      sort: '',
      filters: {},
    })
  })

  it('becomes URL parameters, and is read from the props of the page', () => {
    expect(listQuery(state)).toEqual({
      page: 3,
      length: 100,
      status: 'active',
      search: 'shop',
      sort: '-name',
      from: '2026-11-01',
    })
    const { searchText, ...rest } = state
    const facts = { ...rest, search: searchText, count: 1, counts: {}, apart: [], more: false }
    expect(listStateFromProps(facts)).toEqual(state)
  })
})

it.each([
  ['/project/list', true],
  ['/profile?tab=activity', true],
  ['/admin/audit?from=2026-11-01', false],
  ['/project/list?page=2', false],
  ['/project/list?search=', false],
])('whether %s contains list parameters', (url, bare) => {
  expect(hasNoListParams(url, ['from'])).toBe(bare)
})
