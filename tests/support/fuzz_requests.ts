import { createHash } from 'node:crypto'

/** Returns a random number generator (from 0 to below 1). The same seed gives the same numbers. */
export function seededRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface FuzzRequest {
  method: string
  /** Path exactly as it is sent, with percent-encoding. */
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

const fieldNames =
  `id name path type server_instance_id project_id host_instance_id server_package_id instance_id
  email password confirm_password current_password otp token action action_type status search page
  length branch repository target username value unit subdomain server_admin script provider
  projectPath port ports json instance_type domains vcpu ram storage bandwidth url url_type url_port
  text tab system_id specifications server_series reverse_proxy_port reason range pricing position
  period offered key overwrite confirm_name host_key entry_point end directory default_instance_id
  color_scheme billing_period billing_cycle virtual_host stack role title content version mode code
  state error package_manager packageManager names files archive destination file private_key ip
  browser from credentials commit cpu memory devices package_version __proto__ constructor
  toString prototype`.split(/\s+/)

const fieldValues =
  `1 2 active deleted server_instance host_instance web static node php main shop index.html start
  restart delete month year regular shared administrator support auto dark 24h pm2 port subdomain
  npm build script reverse_proxy a@example.com https://example.com/a.git 123456 a-quay-at-low-tide`.split(
    /\s+/
  )

/**
 * Returns a plausible or malformed request for a route (`METHOD /pattern/:name`). It depends only on the random
 * numbers.
 */
export function generateFuzzRequest(route: string, random: () => number): FuzzRequest {
  const below = (count: number) => Math.floor(random() * count)
  const one = <Value>(choice: readonly Value[]): Value => choice[below(choice.length)]

  const oddText = () =>
    one([
      () => '',
      () => ' ',
      () => '\0',
      () => `shop\0name`,
      () => '\ud800',
      () => `a\udfffb`,
      () => '../../etc/passwd',
      () => '%00',
      () => '\r\nset-cookie: a=b',
      () => "'; drop table people; --",
      () => '‮ü৳🏳️‍🌈',
      () => '{"toString":1}',
      () => '999999999999999999999',
      () => '-1',
      () => '1e400',
      () => 'NaN',
      () => '2147483648',
      () => '9007199254740993',
      () => '00000000-0000-0000-0000-000000000000',
      () => '\u2028',
      () => 'x'.repeat(below(5_000)),
      () => 'x'.repeat(1024 * 1024 - 1_000),
    ])()
  const plain = () => (random() < 0.7 ? one(fieldValues) : oddText())
  const oddValue = (depth = 0): unknown =>
    one([
      () => null,
      () => true,
      () => false,
      () => 0,
      () => -1,
      () => 1.5,
      () => 1e308,
      () => 2 ** 53,
      () => 2 ** 31,
      () => [],
      () => ({}),
      () => ({ toString: 1 }),
      () => ({ valueOf: 1, toString: null }),
      () => ({ length: 5 }),
      () => JSON.parse('{"__proto__":{"admin":true}}') as unknown,
      () => ({ constructor: { prototype: { admin: true } } }),
      () => [plain()],
      () => (depth < 3 ? [oddValue(depth + 1), oddValue(depth + 1)] : []),
      () => (depth < 3 ? { [one(fieldNames)]: oddValue(depth + 1) } : {}),
      () => [[[[[[1]]]]]],
      oddText,
      oddText,
    ])()
  const value = () => {
    const kind = random()
    if (kind < 0.3) return 1 + below(3)
    if (kind < 0.6) return plain()
    return oddValue()
  }
  const object = () => {
    const found: [string, unknown][] = []
    for (let left = below(9); left > 0; left--) found.push([one(fieldNames), value()])
    if (random() < 0.02) found.push([oddText(), value()])
    return Object.fromEntries(found)
  }
  const percent = (text: string) =>
    random() < 0.1
      ? one(['%', '%zz', '%ff', '%00', '%c0%af', '%ed%a0%80', '%E0%A4'])
      : encodeURIComponent(text.toWellFormed())
  const query = () =>
    Array.from({ length: below(6) }, () => {
      const name = `${one(fieldNames)}${one(['', '', '', '[]', '[toString]', '[a][b]', '[__proto__][a]', '[0]'])}`
      return `${name}=${percent(plain().slice(0, 2_000))}`
    }).join(one(['&', '&', '&', '&&', ';']))

  const [method, pattern] = route.split(' ')
  const filled = pattern.replace(/:(\w+)\??/g, () =>
    random() < 0.5 ? String(1 + below(3)) : percent(plain().slice(0, 2_000)) || '1'
  )
  const asked = query()
  const headers: Record<string, string> = {
    accept: one(['application/json', 'application/json', 'text/html', '*/*', 'x', 'a/b;q=zz']),
  }
  if (random() < 0.25) headers['x-inertia'] = 'true'
  if (random() < 0.1)
    headers['x-inertia-partial-data'] = one(['user', 'errors,notice', '__proto__'])
  if (random() < 0.1) headers['x-inertia-partial-component'] = one(['errors', 'customer/profile'])
  if (random() < 0.1) headers.referer = one(['http://', '/', '%', 'http://a/%ff', 'javascript:1'])
  if (random() < 0.05) headers.host = one(['', '[', 'a:b:c', 'xn--'])
  if (random() < 0.05)
    headers.cookie = one(['a', 'berth-customer=%', 'berth-known=s:x', '=;=;', 'XSRF-TOKEN=%ff'])
  const path = asked ? `${filled}?${asked}` : filled

  if (method === 'GET') return { method, path, headers, body: null }
  const [type, text] = one<() => [string, string | Buffer]>([
    () => ['application/json', JSON.stringify(object())],
    () => ['application/json', JSON.stringify(object())],
    () => ['application/json', JSON.stringify(object())],
    () => ['application/json', JSON.stringify(oddValue())],
    () => [
      'application/json',
      one(['', '{', 'nul', '"', '[1,', '{"a":1}{"b":2}', '\ufeff{}', '1e9999']),
    ],
    () => ['application/json', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    () => ['application/json', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`],
    () => ['application/json', `{"id":${'['.repeat(3_000)}${']'.repeat(3_000)}}`],
    () => ['application/x-www-form-urlencoded', query()],
    () => ['application/x-www-form-urlencoded', query()],
    () => ['application/x-www-form-urlencoded', 'a[b]'.repeat(1_000)],
    () => ['multipart/form-data; boundary=odd', multipart(object(), one)],
    () => ['multipart/form-data; boundary=odd', multipart(object(), one)],
    () => ['multipart/form-data', '--odd--'],
    () => [
      'multipart/form-data; boundary=odd',
      '--odd\r\nContent-Disposition: form-data; name="a"\r\n\r\ncut',
    ],
    () => ['text/plain', oddText().toWellFormed()],
    () => ['application/octet-stream', Buffer.alloc(2_000)],
  ])()
  return { method, path, headers: { ...headers, 'content-type': type }, body: Buffer.from(text) }
}

function multipart(from: object, one: <Value>(choice: readonly Value[]) => Value): string {
  const parts = Object.entries(from).map(([name, value]) => {
    const file = one(['', '', '; filename="a.txt"', '; filename="../\0.zip"'])
    const content = typeof value === 'string' ? value : JSON.stringify(value)
    return `--odd\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`
  })
  return `${parts.join('')}--odd--\r\n`
}
