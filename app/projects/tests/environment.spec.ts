import db from '@adonisjs/lucid/services/db'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import Project from '#projects/models/project'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'

async function someone() {
  const customer = await makeCustomer()
  const instance = await makeInstance(customer)
  const project = await makeProject(instance, { stack: 'node' })
  const visitor = await signIn(customer)
  const path = '/project/pm2/environment'
  return {
    customer,
    instance,
    project,
    visitor,
    change: (sent: object) => visitor.post(path, { project_id: project.id, ...sent }),
    names: async () =>
      (await visitor.get(`${path}?project_id=${project.id}`)).json.data!.variables as string[],
    kept: async () => (await Project.findOrFail(project.id)).environment,
  }
}

const secret = 'postgres://shop:correct-horse@127.0.0.1/shop'

test.group('Environment variables', () => {
  test('are stored encrypted, and no page, response or log contains a value', async ({
    assert,
  }) => {
    const { customer, project, visitor, change, names, kept } = await someone()
    const variables = [
      { name: 'DATABASE_URL', value: secret },
      { name: 'EMPTY', value: '' },
      { name: 'LINES', value: 'a\nb "c" \\d $e ' },
    ]
    const saved = await change({ variables })
    assert.equal(saved.status, 200, saved.text)
    assert.notInclude(saved.text, 'correct-horse')
    assert.deepEqual(await names(), ['DATABASE_URL', 'EMPTY', 'LINES'])
    assert.equal((await kept()).LINES, 'a\nb "c" \\d $e ')

    const row = await db.from('projects').where('id', project.id).firstOrFail()
    assert.notInclude(JSON.stringify(row), 'correct-horse')
    assert.notInclude(JSON.stringify(row), 'DATABASE_URL')
    assert.notInclude((await visitor.get(`/project/${project.id}`)).text, 'correct-horse')
    const log = () => db.from('audit_entries').where('account_id', customer.id)
    assert.notInclude(JSON.stringify(await log()), 'correct-horse')
    assert.include(JSON.stringify(await log()), 'DATABASE_URL')

    // A variable without a value in the request keeps its value. A variable that the request lacks
    // is deleted.
    await change({ variables: [{ name: 'DATABASE_URL' }, { name: 'NEW', value: '1' }] })
    assert.deepEqual(await kept(), { DATABASE_URL: secret, NEW: '1' })
  })

  test('only people who may change a value can reveal it, and the audit log records that', async ({
    assert,
  }) => {
    const { customer, project, visitor, change } = await someone()
    await change({ variables: [{ name: 'TOKEN', value: secret }] })
    const body = { project_id: project.id, name: 'TOKEN' }
    const path = '/project/pm2/environment/reveal'
    assert.equal((await visitor.post(path, body)).json.data!.value, secret)
    const [entry] = await db
      .from('audit_entries')
      .where({ account_id: customer.id, action: 'project.environment_reveal' })
    assert.include(JSON.stringify(entry.after), 'TOKEN')
    assert.equal((await visitor.post(path, { ...body, name: 'constructor' })).status, 404)
    const support = await signIn(await makeStaff('support'))
    assert.equal((await support.post(`/admin${path}`, body)).status, 403)
    const stranger = await signIn(await makeCustomer())
    assert.equal((await stranger.post(path, body)).status, 404)
  })

  test('a pasted .env file adds and replaces variables, and keeps the others', async ({
    assert,
  }) => {
    const { change, kept } = await someone()
    await change({
      variables: [
        { name: 'OLD', value: '1' },
        { name: 'B', value: 'before' },
      ],
    })
    const dotenv =
      '# comment\nexport A=1\nB="two words" # more\nC=\'$x\'\n\nD="line\nline"\nURL=http://a/?b=c&d\n'
    const saved = await change({ dotenv })
    assert.equal(saved.status, 200, saved.text)
    assert.deepEqual(await kept(), {
      OLD: '1',
      A: '1',
      B: 'two words',
      C: '$x',
      D: 'line\nline',
      URL: 'http://a/?b=c&d',
    })
    const odd = await change({ dotenv: 'OK=1\nPATH=/tmp\n' })
    assert.deepEqual(odd.json.errors, {
      dotenv: ['Line 2: PATH is set by the server instance. Choose another name.'],
    })
    assert.equal((await change({ dotenv: 'nothing of it' })).status, 422)
    const replaced = await change({ dotenv: 'A=${B}\nC=2', replace: true })
    assert.equal(
      replaced.json.message,
      'Variables saved. Builds and processes use them after their next start. ' +
        'The value of A contains ${…}, which is not replaced. Removed: OLD, B, D, URL.'
    )
    assert.deepEqual(await kept(), { A: '${B}', C: '2' })
  })

  test('an invalid name or value gets an error at its line', async ({ assert }) => {
    const { change, kept } = await someone()
    const list: [object, RegExp][] = [
      [{ name: '1A', value: '' }, /letters, digits/],
      [{ name: 'A-B', value: '' }, /letters, digits/],
      [{ name: 'A\nB', value: '' }, /letters, digits/],
      [{ name: { first: 1 }, value: '' }, /Enter a name/],
      [{ name: 'LD_PRELOAD', value: '/tmp/x.so' }, /set by the server instance/],
      [{ name: 'PM2_HOME', value: '/tmp' }, /set by the server instance/],
      [{ name: 'NEW' }, /Enter a value/],
      [{ name: 'LONG', value: 'x'.repeat(40_000) }, /32 KB/],
    ]
    for (const [entry, words] of list) {
      const answer = await change({ variables: [{ name: 'OK', value: '1' }, entry] })
      assert.equal(answer.status, 422, JSON.stringify(entry))
      assert.match(answer.json.errors!['variables.1']![0], words)
    }
    const nul = [{ name: 'NUL', value: 'a\0b' }]
    const many = Array(101).fill({ name: 'A', value: '' })
    for (const variables of [null, 'A=1', {}, [null], nul, many]) {
      assert.equal((await change({ variables })).status, 422)
    }
    const large = Array.from({ length: 3 }, (_, at) => ({
      name: `L${at}`,
      value: 'x'.repeat(30_000),
    }))
    assert.match((await change({ variables: large })).json.message!, /64 KB/)
    assert.deepEqual(await kept(), {})
  })
})
