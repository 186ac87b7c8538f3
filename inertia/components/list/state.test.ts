import { describe, expect, it } from 'vitest'
import { filterCards } from './card_list'
import { fromUrl, restore, save, toQuery } from './state'

describe('the saved state of a list', () => {
  const state = { page: 3, length: 100, status: 'active', searchText: 'shop' }

  it('comes back as it was, each list by its own key', () => {
    save('project-pagination', state)
    expect(restore('project-pagination')).toEqual(state)
    expect(restore('email-pagination')).toBeNull()
    expect(JSON.parse(sessionStorage.getItem('project-pagination')!)).toEqual(state)
  })

  it.each(['', 'null', '[1]', '{"page":0,"length":50}', '{"page":1,"length":7}', '{'])(
    'does not trust %j',
    (text) => {
      sessionStorage.setItem('project-pagination', text)
      expect(restore('project-pagination')).toBeNull()
    }
  )

  it('goes into the address and is read from it', () => {
    expect(toQuery(state)).toEqual({ page: 3, length: 100, status: 'active', search: 'shop' })
    expect(
      fromUrl('/project/list?page=9&status=active&search=shop', { page: 3, length: 100 })
    ).toEqual(state)
  })
})

it('filters cards by status and by the beginning of the name', () => {
  const rows = [
    { name: 'Web-1', status: 'active' },
    { name: 'web-2', status: 'stopped' },
    { name: 'my-web', status: 'active' },
  ]
  const by = {
    statusOf: (row: (typeof rows)[0]) => row.status,
    nameOf: (row: (typeof rows)[0]) => row.name,
  }
  const names = (status: string, searchText: string) =>
    filterCards(rows, { status, searchText }, by).map((row) => row.name)
  expect(names('', 'web')).toEqual(['Web-1', 'web-2'])
  expect(names('active', ' WEB')).toEqual(['Web-1'])
  expect(names('active', '')).toEqual(['Web-1', 'my-web'])
  // What stands apart is there for its own filter only.
  const apart = ({ status }: (typeof rows)[0]) => status === 'stopped'
  const shown = (status: string) =>
    filterCards(rows, { status, searchText: '' }, { ...by, apart }).map(({ name }) => name)
  expect(shown('')).toEqual(['Web-1', 'my-web'])
  expect(shown('stopped')).toEqual(['web-2'])
})
