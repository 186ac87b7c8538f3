import { AppError } from '#core/app_error'
import { parseInstalledWordpress, renderWordpressAddressFile } from '#projects/machine/wordpress'
import { parseProjectForm } from '#projects/validators/project'
import { wordpressState } from '#projects/transformers/wordpress'
import Project from '#projects/models/project'
import { makeInstance } from '#projects/tests/fixtures'
import { makeCustomer, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const sent = { name: 'Blog', path: 'blog', stack: 'wordpress', server_instance_id: 1 }
const ADMIN_EMAIL = 'ann.smith@example.com'

const errorsOf = (more: object) => {
  try {
    parseProjectForm({ ...sent, ...more }, ADMIN_EMAIL)
    return []
  } catch (error) {
    if (error instanceof AppError) return Object.keys(error.errors ?? {})
    throw error
  }
}

test.group('Projects | WordPress', () => {
  test('an administrator is chosen in the form, or made here', ({ assert }) => {
    const made = parseProjectForm(sent, ADMIN_EMAIL).wordpress!
    assert.isTrue(made.generated)
    assert.containSubset(made.admin, { user: 'ann.smith', email: ADMIN_EMAIL })
    assert.match(made.admin.password, /^\w{24}$/)

    const wordpress_password = `it's "mine"\\`
    const chosen = parseProjectForm(
      { ...sent, wordpress_user: 'ann', wordpress_password },
      ADMIN_EMAIL
    )
    assert.deepEqual(chosen.wordpress, {
      admin: { user: 'ann', email: ADMIN_EMAIL, password: wordpress_password },
      generated: false,
      errors: {},
    })
    assert.isNull(parseProjectForm({ ...sent, stack: 'php' }, ADMIN_EMAIL).wordpress)
  })

  test('fields that WordPress would change or refuse are refused', ({ assert }) => {
    assert.deepEqual(errorsOf({ wordpress_user: '<b>' }), ['wordpress_user'])
    assert.deepEqual(errorsOf({ wordpress_email: "a' or 1@x" }), ['wordpress_email'])
    for (const wordpress_email of ["o'brien@example.com", '_x@example.com', 'a&b@example.com']) {
      assert.deepEqual(errorsOf({ wordpress_email }), [])
    }
    for (const password of ['short', ' begins with a space', 'two\nlines of it', 'x'.repeat(129)]) {
      assert.deepEqual(errorsOf({ wordpress_password: password }), ['wordpress_password'])
    }
    assert.deepEqual(errorsOf({ stack: 'php', wordpress_password: 'short' }), [])
  })

  test('a password that was made here is answered once and sealed', async ({ assert }) => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const instance = await makeInstance(customer)
    const body = { ...sent, server_instance_id: instance.id }
    const { json, text } = await visitor.post('/project/store', body)
    const { id, wordpress_admin: admin } = json.data as {
      id: number
      wordpress_admin: { password: string }
    }
    assert.lengthOf(admin.password, 24, text)
    assert.equal((await Project.findOrFail(id)).wordpressAdmin!.password, admin.password)
    const rows = [
      await db.from('projects').where({ id }),
      await db.from('operations').where('subject_id', String(id)),
    ]
    assert.notInclude(JSON.stringify(rows), admin.password)
    assert.notInclude((await visitor.get(`/project/${id}`)).text, admin.password)

    const own = await makeInstance(customer)
    const chosen = { ...body, server_instance_id: own.id, wordpress_password: 'chosen-by-me' }
    assert.notProperty((await visitor.post('/project/store', chosen)).json.data, 'wordpress_admin')
  })

  test('a project is renamed whatever its person has for an address', async ({ assert }) => {
    const long = `${'a'.repeat(60)}@${'b'.repeat(50)}.example.com`
    assert.throws(() => parseProjectForm(sent, long))
    const { wordpress } = parseProjectForm(sent, long, { isNew: false })
    assert.property(wordpress!.errors, 'wordpress_email')

    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const instance = await makeInstance(customer)
    const body = { ...sent, server_instance_id: instance.id }
    const { id } = (await visitor.post('/project/store', body)).json.data as { id: number }
    const operations = db.from('operations').where('subject_id', String(id))
    const failedWith = (memory: object) =>
      operations.clone().update({ status: 'failed', memory: JSON.stringify(memory) })
    const save = async (more: object) =>
      (await visitor.post('/project/update', { ...body, ...more, id })).json

    // WordPress was not installed, because the folder had files. So there is no password to show.
    await failedWith({ fresh: false })
    assert.notProperty((await save({ name: 'Journal' })).data, 'wordpress_admin')
    assert.isNull((await Project.findOrFail(id)).wordpressAdmin)
    await failedWith({ fresh: true })
    const odd = { wordpress_user: '<b>' }
    assert.property((await save(odd)).errors, 'wordpress_user')
    await operations.clone().update({ status: 'done' })
    assert.isTrue((await save(odd)).success)
  })

  test('an address file names the own addresses only', ({ assert }) => {
    const file = renderWordpressAddressFile(['https://blog.example.com', 'http://192.0.2.7:21500'])
    assert.include(file, "$berth_hosts = array( 'blog.example.com', '192.0.2.7:21500' );")
    assert.include(
      renderWordpressAddressFile(['http://[2001:db8::7]:21500']),
      "'[2001:db8::7]:21500'"
    )
    assert.include(renderWordpressAddressFile(['https://[::1]']), "array( '[::1]' )")
    assert.throws(
      () => renderWordpressAddressFile(["https://a'.example.com"]),
      /no part of an address/
    )
  })

  test('what a machine says of it is shown, whatever it is', ({ assert }) => {
    const said = { installed: true, version: '6.8.3', newest: null, plugins: 2, themes: 0 }
    const state = (more: object) =>
      wordpressState(
        parseInstalledWordpress(JSON.stringify({ ...said, ...more })),
        'https://a.example.com'
      )
    assert.deepEqual(state({ checked: 1 }), {
      version: '6.8.3',
      update: 'current',
      newest: null,
      plugins: 2,
      themes: 0,
      admin_url: 'https://a.example.com/wp-admin/',
      problem: null,
    })
    assert.equal(state({ checked: null }).update, 'unknown')
    assert.containSubset(state({ newest: '6.9' }), { update: 'available', newest: '6.9' })
    assert.isNull(state({ newest: '<script>' }).newest)
    assert.equal(state({ plugins: -1 }).plugins, 0)
    assert.include(state({ installed: false }).problem!, 'Nobody has completed the installation')
    assert.throws(() => parseInstalledWordpress('{"installed":true}'), /contains no version/)
    assert.isNull(parseInstalledWordpress('[]'))
  })
})
