import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Notes', () => {
  test('belong to an account, and are listed, counted and in the menu', async ({ assert }) => {
    const owner = await signIn(await makeCustomer())
    const other = await signIn(await makeCustomer())
    assert.equal((await owner.post('/note/store', { text: 'Ask for a quay' })).status, 201)
    assert.equal((await owner.post('/note/store', { text: '' })).status, 422)

    const { props } = (await owner.page('/note/list')).json
    assert.containSubset(props, { count: 1, rows: [{ text: 'Ask for a quay' }] })
    assert.containSubset(props?.menu, [{ label: 'Notes', href: '/note/list' }])
    assert.equal((await other.page('/note/list')).json.props?.count, 0)

    const dashboard = (await owner.page('/')).json.props
    assert.includeDeepMembers(dashboard?.counts as object[], [
      { label: 'Total Notes', href: '/note/list', count: 1, bytes: null },
    ])
    const { statuses } = (await owner.page('/profile?tab=activity')).json.props ?? {}
    assert.containSubset(statuses, { note: 'Notes' })
  })
})
