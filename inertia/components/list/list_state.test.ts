import { describe, expect, it } from 'vitest'
import {
  hasNoListParams,
  loadListState,
  saveListState,
  listStateFromProps,
  listStorageKey,
  listQuery,
} from './list_state'

describe('the saved state of a list', () => {
  const state = {
    page: 3,
    length: 100,
    status: 'active',
    searchText: 'shop',
    sort: '-name',
    filters: { from: '2026-11-01' },
  }

  it('comes back as it was, each list by its own key', () => {
    saveListState('project-pagination', state)
    expect(loadListState('project-pagination')).toEqual(state)
    expect(loadListState('email-pagination')).toBeNull()
    expect(JSON.parse(sessionStorage.getItem('project-pagination')!)).toEqual(state)
  })

  it('is kept by each area for itself', () => {
    expect(listStorageKey('customer', 'project')).toBe('project-pagination')
    expect(listStorageKey('admin', 'project')).toBe('admin-project-pagination')
  })

  it.each(['', 'null', '[1]', '{"page":0,"length":50}', '{"page":1,"length":7}', '{'])(
    'does not trust %j',
    (text) => {
      sessionStorage.setItem('project-pagination', text)
      expect(loadListState('project-pagination')).toBeNull()
    }
  )

  it('takes what is odd in it as nothing', () => {
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

  it('goes into the address and is read from what the server made of it', () => {
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
])('knows whether %s says which part of the list is meant', (url, bare) => {
  expect(hasNoListParams(url, ['from'])).toBe(bare)
})
