import { describe, expect, test } from 'vitest'
import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import {
  actionEntries,
  filterEntries,
  pageEntries,
  userMenuPaletteEntries,
} from './palette_entries'

const menu: MenuGroup[] = [
  { label: 'Dashboard', icon: 'dashboard', href: '/' },
  {
    label: 'VPS Servers',
    icon: 'server',
    entries: [
      {
        label: 'Instances',
        href: '/server-instance/list',
        needs: 'machines.use',
        add: 'Create New Instance',
      },
    ],
  },
  {
    label: 'Databases',
    icon: 'database',
    entries: [
      { label: 'Mysql', href: '/database/mysql', needs: 'machines.use' },
      { label: 'MongoDB', href: '/database/mongodb', needs: 'machines.use' },
    ],
  },
  { label: 'Billing & Payment', icon: 'receipt', href: '/billing' },
]

const names = (text: string) => filterEntries(pageEntries(menu), text).map(({ name }) => name)

describe('Command palette', () => {
  test('assigns each page a unique key', () => {
    expect(pageEntries(menu).map(({ name, key }) => [name, key])).toEqual([
      ['Dashboard', 'd'],
      ['Instances', 'i'],
      ['Mysql', 'm'],
      ['MongoDB', 'o'],
      ['Billing & Payment', 'b'],
    ])
  })

  test('omits pages and actions that this person cannot use', () => {
    const unavailable = { 'machines.use': 'Your role in this account is Billing.' }
    expect(pageEntries(menu, unavailable).map(({ name }) => name)).toEqual([
      'Dashboard',
      'Billing & Payment',
    ])
    expect(actionEntries(menu, unavailable)).toEqual([])
    expect(actionEntries(menu)).toMatchObject([
      { name: 'Create New Instance', href: '/server-instance/list?add=1' },
    ])
  })

  test('finds entries of the user menu, also by keywords that their labels do not contain', () => {
    const found = (text: string) =>
      filterEntries(
        userMenuPaletteEntries([
          { label: 'Profile', href: '/profile' },
          { label: 'Members', href: '/profile/members' },
          { label: 'Acme · Owner', href: '/account/switch', method: 'post', data: { id: 1 } },
          {
            label: 'Own · Owner',
            href: '/account/switch',
            method: 'post',
            data: { id: 2 },
            current: true,
          },
          { label: 'Sign out', href: '/admin/logout', method: 'post' },
        ]),
        text
      )
    expect(found('members').map(({ name }) => name)).toEqual(['Members'])
    expect(found('password').map(({ name }) => name)).toEqual(['Profile'])
    expect(found('logout')).toMatchObject([{ name: 'Sign out', method: 'post' }])
    expect(found('switch')).toMatchObject([{ name: 'Acme · Owner', data: { id: 1 } }])
  })

  test('finds entries that contain all words, in any order, and those that start with the first word first', () => {
    expect(names('m')).toEqual(['Mysql', 'MongoDB', 'Billing & Payment'])
    expect(names('databases mongo')).toEqual(['MongoDB'])
    expect(names('payment billing')).toEqual(['Billing & Payment'])
    expect(names('nothing')).toEqual([])
  })
})
