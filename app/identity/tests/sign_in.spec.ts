import Person from '#identity/models/person'
import { hashedEmailKey } from '#identity/actions/known_browsers'
import { attemptLimits } from '#identity/actions/attempt_limits'
import {
  freshEmail,
  makeCustomer,
  makeStaff,
  makeVisitor,
  signIn,
  testPassword,
  Visitor,
} from '#tests/support/people'
import { loadCodeSentTo, listMailsTo } from '#tests/support/outbox_mails'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomInt } from 'node:crypto'

const password = 'another quay at dawn'

async function register(email: string, visitor: Visitor) {
  await visitor.post('/send-otp', { email })
  const otp = await loadCodeSentTo(email)
  return visitor.post('/match-otp', { email, otp, password, confirm_password: password })
}

test.group('Registration', () => {
  test('a code from an email completes the registration and signs the person in', async ({
    assert,
  }) => {
    const email = freshEmail()
    const visitor = await makeVisitor()
    const sent = await visitor.post('/send-otp', { email })
    assert.equal(sent.status, 200)
    assert.equal(sent.json.data?.loginState, 'match_otp')
    const login = await visitor.page('/login')
    assert.equal(login.json.props?.loginState, 'match_otp')
    assert.equal(login.json.props?.email, email)
    const otp = await loadCodeSentTo(email)
    const done = await visitor.post('/match-otp', {
      email,
      otp,
      password,
      confirm_password: password,
      user_id: sent.json.data?.user_id,
    })
    assert.equal(done.status, 200)
    assert.equal((await visitor.page('/')).json.component, 'customer/dashboard')
    assert.exists(await Person.findByAddress('customer', email))
    const again = await makeVisitor()
    assert.equal((await again.post('/login', { email, password })).status, 200)
  })

  test('requires two equal passwords of 10 characters', async ({ assert }) => {
    const email = freshEmail()
    const visitor = await makeVisitor()
    await visitor.post('/send-otp', { email })
    const otp = await loadCodeSentTo(email)
    const short = { email, otp, password: 'short', confirm_password: 'short' }
    assert.property((await visitor.post('/match-otp', short)).json.errors, 'password')
    const unlike = { email, otp, password, confirm_password: `${password}!` }
    const answer = await visitor.post('/match-otp', unlike)
    assert.equal(answer.status, 422)
    assert.property(answer.json.errors, 'confirm_password')
  })

  test('the address of a code comes from the session, never from the request', async ({
    assert,
  }) => {
    const victim = await makeCustomer()
    const email = freshEmail()
    const visitor = await makeVisitor()
    await visitor.post('/send-otp', { email })
    const otp = await loadCodeSentTo(email)
    const answer = await visitor.post('/match-otp', {
      email: victim.email,
      user_id: victim.id,
      otp,
      password,
      confirm_password: password,
    })
    assert.equal(answer.status, 200)
    const { user } = (await visitor.page('/')).json.props as { user: { email: string } }
    assert.equal(user.email, email)
    const still = await makeVisitor()
    assert.equal((await still.post('/login', { email: victim.email, password })).status, 422)
  })

  test('a code is valid only in the browser that requested it', async ({ assert }) => {
    const email = freshEmail()
    const visitor = await makeVisitor()
    await visitor.post('/send-otp', { email })
    const otp = await loadCodeSentTo(email)
    const other = await makeVisitor()
    const answer = await other.post('/match-otp', { otp, password, confirm_password: password })
    assert.equal(answer.status, 422)
    assert.property(answer.json.errors, 'otp')
  })
})

test.group('One-time codes', () => {
  test('are invalid after 5 attempts, including simultaneous ones', async ({ assert }) => {
    const email = freshEmail()
    const visitor = await makeVisitor()
    await visitor.post('/send-otp', { email })
    const otp = await loadCodeSentTo(email)
    const wrong = String((Number(otp) + 1) % 1_000_000).padStart(6, '0')
    const guess = (code: string) =>
      visitor.post('/match-otp', { otp: code, password, confirm_password: password })
    const answers = await Promise.all(Array.from({ length: 8 }, () => guess(wrong)))
    assert.isTrue(answers.every(({ status }) => status === 422))
    const [row] = await db.from('one_time_codes').where('email', email)
    assert.equal(row.tries, 5)
    assert.equal((await guess(otp)).status, 422)
    assert.isNull(await Person.findByAddress('customer', email))
  })

  test('work once, within 10 minutes, and are stored as a digest', async ({ assert }) => {
    const email = freshEmail()
    const visitor = await makeVisitor()
    await visitor.post('/send-otp', { email })
    const otp = await loadCodeSentTo(email)
    const [row] = await db.from('one_time_codes').where('email', email)
    assert.notInclude(JSON.stringify(row), otp)
    const lifetime = new Date(row.expires_at).getTime() - new Date(row.created_at).getTime()
    assert.approximately(lifetime, 600_000, 5_000)
    await db.from('one_time_codes').where('id', row.id).update({ expires_at: new Date() })
    const answer = await visitor.post('/match-otp', { otp, password, confirm_password: password })
    assert.equal(answer.status, 422)
  })

  test('an address has at most 20 wrong codes a day', async ({ assert }) => {
    const email = freshEmail()
    let refused = 0
    for (let round = 0; round < 5; round++) {
      const visitor = await makeVisitor()
      await visitor.post('/send-otp', { email })
      const otp = await loadCodeSentTo(email)
      const wrong = String((Number(otp) + 1) % 1_000_000).padStart(6, '0')
      // Deletes the rate limit, so that the next code can be sent without waiting 60 s.
      await db
        .from('rate_limits')
        .where('key', 'like', `%mail:%${hashedEmailKey('customer', email)}%`)
        .delete()
      for (let guess = 0; guess < 5; guess++) {
        const { status } = await visitor.post('/match-otp', {
          otp: wrong,
          password,
          confirm_password: password,
        })
        if (status === 429) refused++
      }
    }
    assert.equal(refused, 5)
  })

  test('can be sent again only after 60 s', async ({ assert }) => {
    const email = freshEmail()
    const visitor = await makeVisitor()
    assert.equal((await visitor.post('/send-otp', { email })).status, 200)
    const again = await visitor.post('/send-otp', { email })
    assert.equal(again.status, 429)
    assert.isAtMost(Number(again.headers.get('retry-after')), 60)
    assert.lengthOf(await listMailsTo(email), 1)
  })

  test('emails contain the configured origin, whatever the Host header', async ({ assert }) => {
    const email = freshEmail()
    const visitor = await makeVisitor()
    await visitor.post('/send-otp', { email }, { 'x-forwarded-host': 'evil.example' })
    const [mail] = await listMailsTo(email)
    assert.notInclude(mail.text, 'evil.example')
    assert.include(mail.text, process.env.APP_URL!)
  })

  test('an address with a line break is rejected', async ({ assert }) => {
    const visitor = await makeVisitor()
    for (const email of ['a@example.com\r\nBcc: b@example.com', 'a@example.com\nb', 'a b@c.de']) {
      assert.equal((await visitor.post('/send-otp', { email })).status, 422)
    }
  })
})

test.group('Sign-in', () => {
  test('unknown address, wrong password and missing password get the same response', async ({
    assert,
  }) => {
    const person = await makeCustomer()
    const google = await makeCustomer({ password: null })
    const visitor = await makeVisitor()
    const answers = await Promise.all(
      [person.email, google.email, freshEmail()].map((email) =>
        visitor.post('/login', { email, password: 'not the password' })
      )
    )
    for (const { status, text } of answers) {
      assert.equal(status, 422)
      assert.equal(text, answers[0].text)
    }
  })

  test('send-otp gives the same response for every kind of address', async ({ assert }) => {
    const customer = await makeCustomer()
    const stranger = freshEmail()
    const staff = await makeStaff('support')
    const ask = async (path: string, area: 'customer' | 'admin', email: string) => {
      const answer = await (await makeVisitor(area)).post(path, { email })
      return `${answer.status} ${answer.json.message?.replace(email, '')} ${Object.keys(answer.json.data!)}`
    }
    assert.equal(
      await ask('/send-otp', 'customer', customer.email),
      await ask('/send-otp', 'customer', stranger)
    )
    const nobody = freshEmail()
    assert.equal(
      await ask('/admin/send-otp', 'admin', staff.email),
      await ask('/admin/send-otp', 'admin', nobody)
    )
    assert.lengthOf(await listMailsTo(nobody), 0)
    assert.lengthOf(await listMailsTo(staff.email), 1)
    const mail = (text: string, email: string) =>
      text
        .replace(/\d{6}/g, '')
        .replace(/browser=\S+/, '')
        .replaceAll(email, '')
    const [toCustomer] = await listMailsTo(customer.email)
    const [toStranger] = await listMailsTo(stranger)
    assert.equal(mail(toCustomer.text, customer.email), mail(toStranger.text, stranger))
  })

  test('check-mail opens login for people who can sign in, and send_otp for others', async ({
    assert,
  }) => {
    const person = await makeCustomer()
    const off = await makeCustomer({ disabledAt: (await makeCustomer()).createdAt })
    const visitor = await makeVisitor()
    const ask = (email: string) => visitor.post('/check-mail', { email })
    const known = await ask(person.email)
    assert.equal(known.json.data?.loginState, 'login')
    for (const email of [freshEmail(), off.email]) {
      const unknown = await ask(email)
      assert.equal(unknown.json.data?.loginState, 'send_otp')
      assert.equal(unknown.json.message, known.json.message)
    }
  })

  test('creates a new session id and invalidates the old one', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await makeVisitor()
    const before = new Map(visitor.cookies)
    await signIn(person, visitor)
    assert.notEqual(visitor.cookies.get('berth-customer'), before.get('berth-customer'))
    const fixed = new Visitor()
    for (const [name, value] of before) fixed.cookies.set(name, value)
    assert.equal((await fixed.page('/profile')).status, 302)
  })

  test('scripts cannot read the cookies, and other sites cannot send them', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await makeVisitor()
    const answer = await visitor.post('/login', { email: person.email, password: testPassword })
    const session = answer.headers.getSetCookie().find((line) => line.startsWith('berth-customer'))
    assert.match(session ?? '', /HttpOnly/)
    assert.match(session ?? '', /SameSite=Lax/)
  })

  test('a disabled customer cannot sign in, and open sessions end', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    await person.merge({ disabledAt: person.createdAt }).save()
    assert.equal((await visitor.page('/profile')).status, 302)
    const other = await makeVisitor()
    const again = await other.post('/login', { email: person.email, password: testPassword })
    assert.equal(again.status, 403)
  })

  test('a session of one area gives no access to the other', async ({ assert }) => {
    const [customer, staff] = [await makeCustomer(), await makeStaff()]
    const one = await signIn(customer)
    assert.equal((await one.get('/admin/staff/list')).status, 401)
    await signIn(staff, one)
    assert.equal((await one.page('/admin')).status, 200)
    assert.equal((await one.page('/')).json.component, 'customer/dashboard')
    await one.post('/admin/logout')
    assert.equal((await one.page('/profile')).status, 200)
    assert.equal((await one.get('/admin/staff/list')).status, 401)
  })

  test('redirects to the requested page, never to another site', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = new Visitor()
    await visitor.page('/profile?tab=activity')
    const answer = await visitor.post('/login', { email: person.email, password: testPassword })
    assert.equal(answer.json.data?.to, '/profile?tab=activity')
    const lured = new Visitor()
    await lured.page('//evil.example/profile')
    const there = await lured.post('/login', { email: person.email, password: testPassword })
    assert.equal(there.json.data?.to, '/')
  })

  test('a new customer starts at the dashboard, or at the invitation that they opened before', async ({
    assert,
  }) => {
    const register = async (before: string) => {
      const email = freshEmail()
      const visitor = await makeVisitor()
      await visitor.page(before)
      await visitor.post('/send-otp', { email })
      const otp = await loadCodeSentTo(email)
      const form = { otp, password, confirm_password: password }
      return (await visitor.post('/match-otp', form)).json.data?.to
    }
    assert.equal(await register('/server-instance/5'), '/')
    assert.equal(await register('/invitation/5'), '/invitation/5')
  })
})

test.group('Attempt limits', () => {
  test('wrong passwords block an address for unknown browsers only', async ({ assert }) => {
    const person = await makeCustomer()
    const own = await signIn(person)
    await own.post('/logout')
    const wrong = { email: person.email, password: 'not the password' }
    const { requests } = attemptLimits.password.account[0]
    for (let number = 0; number < requests; number++) {
      assert.equal((await (await makeVisitor()).post('/login', wrong)).status, 422)
    }
    const right = { email: person.email, password: testPassword }
    const stranger = await (await makeVisitor()).post('/login', right)
    assert.equal(stranger.status, 429)
    assert.isAbove(Number(stranger.headers.get('retry-after')), 0)
    assert.equal((await own.post('/login', right)).status, 200)
  })

  test('the unlock link admits a new browser during an attack', async ({ assert }) => {
    const person = await makeCustomer()
    const { requests } = attemptLimits.password.account[0]
    for (let number = 0; number <= requests; number++) {
      await (await makeVisitor()).post('/login', { email: person.email, password: 'wrong one' })
    }
    const mine = await makeVisitor()
    const right = { email: person.email, password: testPassword }
    assert.equal((await mine.post('/login', right)).status, 429)
    await mine.post('/send-otp', { email: person.email })
    const [mail] = await listMailsTo(person.email)
    const link = new URL(/http\S+browser=\S+/.exec(mail.text)![0])
    await mine.page(link.pathname + link.search)
    assert.equal((await mine.post('/login', right)).status, 200)
  })

  test('a network that tries many addresses is blocked, whatever headers it sends', async ({
    assert,
  }) => {
    const { requests } = attemptLimits.check.network
    const visitor = await makeVisitor()
    // All these IPv6 addresses belong to one network, so they count as one subscriber.
    const network = `2001:db8:${randomInt(1, 65_536).toString(16)}:${randomInt(1, 65_536).toString(16)}`
    for (let number = 0; number < requests; number++) {
      visitor.ip = `${network}::${number}`
      await visitor.post('/check-mail', { email: freshEmail() })
    }
    visitor.ip = `${network.toUpperCase()}:0:0:0:FFFF`
    assert.equal((await visitor.post('/check-mail', { email: freshEmail() })).status, 429)
  })
})

test.group('Passwords and devices', () => {
  test('a new password by code signs out all other browsers', async ({ assert }) => {
    const person = await makeCustomer()
    const [one, two] = [await signIn(person), await signIn(person)]
    await one.post('/logout')
    assert.equal((await register(person.email, one)).status, 200)
    assert.equal((await two.page('/profile')).status, 302)
    assert.equal((await one.page('/profile')).status, 200)
  })

  test('changing the password needs the old one, and only this browser stays signed in', async ({
    assert,
  }) => {
    const person = await makeCustomer()
    const [one, two] = [await signIn(person), await signIn(person)]
    const change = { password, confirm_password: password }
    const refused = await one.post('/profile/password', { ...change, current_password: 'no' })
    assert.property(refused.json.errors, 'current_password')
    const done = await one.post('/profile/password', { ...change, current_password: testPassword })
    assert.equal(done.status, 200)
    assert.equal((await one.page('/profile')).status, 200)
    assert.equal((await two.page('/profile')).status, 302)
  })

  test('people can sign out one or all of their own devices only', async ({ assert }) => {
    const person = await makeCustomer()
    const [one, two] = [await signIn(person), await signIn(person)]
    const other = await signIn(await makeCustomer())
    const { devices } = (await one.page('/profile')).json.props as {
      devices: { id: string; current: boolean }[]
    }
    assert.lengthOf(devices, 2)
    const { id } = devices.find(({ current }) => !current)!
    assert.equal((await other.post('/profile/devices/end', { id })).status, 404)
    assert.equal((await one.post('/profile/devices/end', { id })).status, 200)
    assert.equal((await two.page('/profile')).status, 302)
    await one.post('/profile/devices/end-all')
    assert.equal((await one.page('/profile')).status, 302)
  })

  test('a running request does not restore an ended session', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    const slow = Promise.all(Array.from({ length: 6 }, () => visitor.page('/profile')))
    await db.from('devices').where('person_id', person.id).delete()
    await slow
    assert.equal((await visitor.page('/profile')).status, 302)
  })

  test('a new email address applies after its code was entered', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    const email = freshEmail('moved')
    const ask = { email, current_password: testPassword }
    assert.equal((await visitor.post('/profile/email', ask)).status, 200)
    assert.isNull(await Person.findByAddress('customer', email))
    const otp = await loadCodeSentTo(email)
    assert.equal((await visitor.post('/profile/email/confirm', { otp })).status, 200)
    await person.refresh()
    assert.equal(person.email, email)
  })

  test('a taken address is revealed only to a person who gets its email', async ({ assert }) => {
    const [person, owner] = [await makeCustomer(), await makeCustomer()]
    const visitor = await signIn(person)
    const ask = { email: owner.email, current_password: testPassword }
    assert.equal((await visitor.post('/profile/email', ask)).status, 200)
    const otp = await loadCodeSentTo(owner.email)
    const answer = await visitor.post('/profile/email/confirm', { otp })
    assert.equal(answer.status, 422)
    assert.property(answer.json.errors, 'email')
  })
})

test.group('Sign-out', () => {
  test('works by POST, and by GET only from our own pages', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    const elsewhere: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { referer: 'https://evil.example/' },
    ]
    for (const headers of elsewhere) {
      assert.equal((await visitor.get('/logout', headers)).status, 403)
    }
    assert.equal((await visitor.page('/profile')).status, 200)
    assert.equal((await visitor.get('/logout', { 'sec-fetch-site': 'same-origin' })).status, 200)
    assert.equal((await visitor.page('/profile')).status, 302)
  })
})
