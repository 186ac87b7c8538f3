import { parseInstalledWordpress, renderWordpressAddressFile } from '#projects/machine/wordpress'
import { newProjectValidator } from '#projects/validators/project'
import { wordpressAdminFrom, wordpressAdminValidator } from '#projects/validators/wordpress'
import { wordpressState } from '#projects/transformers/wordpress'
import Project from '#projects/models/project'
import { makeInstance } from '#projects/tests/fixtures'
import { makeCustomer, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { errors } from '@vinejs/vine'

const sent = { name: 'Blog', path: 'blog', stack: 'wordpress', server_instance_id: 1 }
const ADMIN_EMAIL = 'ann.smith@example.com'

const parse = (more: object = {}, email = ADMIN_EMAIL) =>
  newProjectValidator.validate({ ...sent, ...more }, { meta: { email } })

const errorsOf = async (more: object, email?: string) => {
  try {
    await parse(more, email)
    return []
  } catch (error) {
    if (!(error instanceof errors.E_VALIDATION_ERROR)) throw error
    return (error.messages as { field: string }[]).map(({ field }) => field)
  }
}

test.group('Projects | WordPress', () => {
  test('the first administrator has the data of the form, or a generated password', async ({
    assert,
  }) => {
    const meta = { email: ADMIN_EMAIL }
    const made = await wordpressAdminValidator.validate({}, { meta })
    assert.isUndefined(made.wordpress_password)
    const { password, ...rest } = wordpressAdminFrom(made)
    assert.deepEqual(rest, { user: 'ann.smith', email: ADMIN_EMAIL })
    assert.match(password, /^\w{24}$/)

    const wordpress_password = `it's "mine"\\`
    const fields = { wordpress_user: 'ann', wordpress_password }
    const chosen = await wordpressAdminValidator.validate(fields, { meta })
    assert.deepEqual(wordpressAdminFrom(chosen), {
      user: 'ann',
      email: ADMIN_EMAIL,
      password: wordpress_password,
    })
    assert.property(await parse(), 'wordpress_user')
    assert.notProperty(await parse({ stack: 'php' }), 'wordpress_user')
  })

  test('fields that WordPress would change or reject are rejected', async ({ assert }) => {
    assert.deepEqual(await errorsOf({ wordpress_user: '<b>' }), ['wordpress_user'])
    assert.deepEqual(await errorsOf({ wordpress_email: "a' or 1@x" }), ['wordpress_email'])
    for (const wordpress_email of ["o'brien@example.com", '_x@example.com', 'a&b@example.com']) {
      assert.deepEqual(await errorsOf({ wordpress_email }), [])
    }
    for (const password of ['short', ' begins with a space', 'two\nlines of it', 'x'.repeat(129)]) {
      assert.deepEqual(await errorsOf({ wordpress_password: password }), ['wordpress_password'])
    }
    assert.deepEqual(await errorsOf({ stack: 'php', wordpress_password: 'short' }), [])
  })

  test('a generated password is returned once, and stored encrypted', async ({ assert }) => {
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

  test('a project can be renamed even if the person’s email address is too long for WordPress', async ({
    assert,
  }) => {
    const long = `${'a'.repeat(60)}@${'b'.repeat(50)}.example.com`
    assert.deepEqual(await errorsOf({}, long), ['wordpress_email'])

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

    // The folder had files, so Berth did not install WordPress, and there is no password to show.
    await failedWith({ fresh: false })
    assert.notProperty((await save({ name: 'Journal' })).data, 'wordpress_admin')
    assert.isNull((await Project.findOrFail(id)).wordpressAdmin)
    await failedWith({ fresh: true })
    const odd = { wordpress_user: '<b>' }
    assert.property((await save(odd)).errors, 'wordpress_user')
    await operations.clone().update({ status: 'done' })
    assert.isTrue((await save(odd)).success)
  })

  test('the address file contains only the site’s own addresses', ({ assert }) => {
    const file = renderWordpressAddressFile(['https://blog.example.com', 'http://192.0.2.7:21500'])
    assert.include(file, "$berth_hosts = array( 'blog.example.com', '192.0.2.7:21500' );")
    assert.include(
      renderWordpressAddressFile(['http://[2001:db8::7]:21500']),
      "'[2001:db8::7]:21500'"
    )
    assert.include(renderWordpressAddressFile(['https://[::1]']), "array( '[::1]' )")
    assert.throws(
      () => renderWordpressAddressFile(["https://a'.example.com"]),
      /is not allowed in an address/
    )
  })

  test('the state of WordPress is shown, even with unexpected output of the instance', ({
    assert,
  }) => {
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
