import Person from '#identity/models/person'
import { freshEmail, makeCustomer, makeVisitor, Visitor } from '#tests/support/people'
import env from '#start/env'
import { test } from '@japa/runner'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Claims {
  sub: string
  email: string
  email_verified: boolean
  name?: string
}

/** Starts an OpenID provider at which one person is signed in. */
async function provider(claims: () => Claims): Promise<{ server: Server; issuer: string }> {
  const server = createServer((request, response) => {
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answers: Record<string, unknown> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      '/token': { access_token: 'token', token_type: 'Bearer', expires_in: 60, id_token: 'x' },
      '/userinfo': claims(),
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[new URL(request.url!, issuer).pathname] ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test.group('Sign-in with Google', (group) => {
  let claims: Claims
  let server: Server

  group.setup(async () => {
    const opened = await provider(() => claims)
    server = opened.server
    env.set('GOOGLE_ISSUER' as never, opened.issuer as never)
    env.set('GOOGLE_CLIENT_ID' as never, 'client' as never)
    env.set('GOOGLE_CLIENT_SECRET' as never, { release: () => 'secret' } as never)
    return () => {
      for (const name of ['GOOGLE_ISSUER', 'GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']) {
        env.set(name as never, undefined as never)
        delete process.env[name]
      }
      server.close()
    }
  })

  async function comeBack(state?: string) {
    const visitor = await makeVisitor()
    const there = await visitor.get('/google/redirect')
    const asked = new URL(there.headers.get('location')!)
    const given = state ?? asked.searchParams.get('state')
    const back = await visitor.get(`/google/callback?code=code&state=${given}`)
    return { visitor, asked, back }
  }

  test('creates a customer for a verified address, and recognizes the Google account at the next sign-in', async ({
    assert,
  }) => {
    claims = { sub: freshEmail(), email: freshEmail('g'), email_verified: true, name: 'Gita' }
    const { visitor, asked, back } = await comeBack()
    assert.equal(asked.searchParams.get('redirect_uri'), `${process.env.APP_URL}/google/callback`)
    assert.equal(back.headers.get('location'), '/')
    assert.equal((await visitor.page('/')).json.component, 'customer/dashboard')
    const person = await Person.findByAddress('customer', claims.email)
    assert.equal(person?.name, 'Gita')
    claims = { ...claims, email: freshEmail('moved') }
    await comeBack()
    assert.isNull(await Person.findByAddress('customer', claims.email))
  })

  test('rejects an unverified address and the state of another session', async ({ assert }) => {
    const { email } = await makeCustomer()
    claims = { sub: freshEmail(), email, email_verified: false }
    const unverified = await comeBack()
    assert.equal(unverified.back.headers.get('location'), '/login')
    assert.equal((await unverified.visitor.page('/profile')).status, 302)
    claims = { ...claims, email_verified: true }
    const forged = await comeBack('forged')
    assert.equal(forged.back.headers.get('location'), '/login')
    assert.equal((await forged.visitor.page('/profile')).status, 302)
  })

  test('rejects a callback that this session did not start or has already used', async ({
    assert,
  }) => {
    claims = { sub: freshEmail(), email: freshEmail('g'), email_verified: true }
    const begin = async () => {
      const visitor = await makeVisitor()
      const there = await visitor.get('/google/redirect')
      return { visitor, state: new URL(there.headers.get('location')!).searchParams.get('state') }
    }
    const [mine, other] = [await begin(), await begin()]
    const fresh = new Visitor()
    for (const [visitor, query] of [
      [fresh, 'code=code'],
      [fresh, 'code=code&state='],
      [fresh, 'code=code&state=undefined'],
      [fresh, `code=code&state=${mine.state}`],
      [other.visitor, 'code=code'],
      [(await begin()).visitor, 'code=code&state='],
      [(await begin()).visitor, `code=code&state[]=${mine.state}`],
      [(await begin()).visitor, `code=code&state=${mine.state}`],
      // The right state, but an earlier request without a state has already cancelled this sign-in.
      [other.visitor, `code=code&state=${other.state}`],
    ] as const) {
      const { headers } = await visitor.get(`/google/callback?${query}`)
      assert.equal(headers.get('location'), '/login', query)
      assert.equal((await visitor.page('/profile')).status, 302, query)
    }
    assert.isNull(await Person.findByAddress('customer', claims.email))

    const path = `/google/callback?code=code&state=${mine.state}`
    assert.equal((await mine.visitor.get(path)).headers.get('location'), '/')
    await mine.visitor.post('/logout')
    assert.equal((await mine.visitor.get(path)).headers.get('location'), '/login')
  })

  test('signs in the customer with the verified address, but not with a second Google account', async ({
    assert,
  }) => {
    const person = await makeCustomer()
    claims = { sub: freshEmail(), email: person.email, email_verified: true }
    assert.equal((await comeBack()).back.headers.get('location'), '/')
    claims = { ...claims, sub: freshEmail() }
    assert.equal((await comeBack()).back.headers.get('location'), '/login')
  })
})
