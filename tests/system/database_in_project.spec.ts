import { accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { runSteps } from '#core/operations/runner'
import { makeInstance } from '#guest/tests/instances'
import Project from '#projects/models/project'
import { makeProject } from '#projects/tests/fixtures'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'

const DATABASE_PASSWORD = 'Quay-at-low-tide'

test.group('Database of a project', (group) => {
  let mariadb: Mariadb

  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })

  test('the project gets the database’s address with a working password', async ({ assert }) => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const made = await visitor.post('/database/mysql/store', {
      database_name: 'site',
      username: 'site_user',
      user_password: DATABASE_PASSWORD,
    })
    assert.equal(made.status, 202, made.text)
    await runSteps(made.json.data!.operation_id as string)
    const prefix = accountPrefix(customer.id)
    const instance = await makeInstance(customer)
    const project = await makeProject(instance, { environment: { KEPT: '1' } })
    const body = {
      server_instance_id: 'managed',
      database_name: 'site',
      username: 'site_user',
      user_password: 'Wrong-password',
      project_id: project.id,
    }
    const wrong = await visitor.post('/database/mysql/project', body)
    assert.equal(wrong.status, 422, wrong.text)
    assert.match(wrong.json.errors!.user_password[0], /not the password/)
    const right = await visitor.post('/database/mysql/project', {
      ...body,
      user_password: DATABASE_PASSWORD,
    })
    assert.equal(right.status, 200, right.text)
    assert.notInclude(right.text, DATABASE_PASSWORD)
    const { environment } = await Project.findOrFail(project.id)
    assert.equal(environment.KEPT, '1')
    assert.equal(environment.DB_DATABASE, `${prefix}site`)
    assert.equal(environment.DB_PASSWORD, DATABASE_PASSWORD)
    const url = new URL(environment.DATABASE_URL)
    const own = await mariadb.signIn(
      decodeURIComponent(url.username),
      decodeURIComponent(url.password),
      url.pathname.slice(1)
    )
    await own.end()
    assert.equal(url.username, `${prefix}site_user`)

    const foreign = await makeProject(await makeInstance(await makeCustomer()))
    const answer = await visitor.post('/database/mysql/project', {
      ...body,
      user_password: DATABASE_PASSWORD,
      project_id: foreign.id,
    })
    assert.equal(answer.status, 404)
  })
})
