import { sendMessage } from '#support/actions/send_message'
import { MAX_FILE_BYTES, MAX_UNSENT_FILES } from '#support/limits'
import Attachment from '#support/models/attachment'
import sweep from '#support/schedules/delete_unsent_files'
import type { MessageList, MessageView } from '#support/transformers/page_props'
import { actorOf, makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { startTestVaultService } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

const SEND_PATH = '/live-support/send-message'
const page = '<html><script>alert(1)</script></html>'

interface ChatFile {
  id: string
  file: string
}

async function upload(
  visitor: Visitor,
  files: [part: string, name: string, body: Blob][],
  area = ''
) {
  const form = new FormData()
  form.append('type', files[0]?.[0].startsWith('photo') ? 'photo' : 'document')
  for (const [part, name, body] of files) form.append(part, body, name)
  const token = visitor.cookies.get(area ? 'XSRF-TOKEN/admin' : 'XSRF-TOKEN/')
  const response = await fetch(`${visitor.base}${area}/chat-file/upload`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      cookie: visitor.cookie,
      ...(token && { 'x-xsrf-token': decodeURIComponent(token) }),
    },
    body: form,
  })
  const json = (await response.json()) as { message: string; data?: { chatFiles: ChatFile[] } }
  return { status: response.status, message: json.message, files: json.data?.chatFiles ?? [] }
}

const open = (visitor: Visitor, file: string, area = '') =>
  fetch(`${visitor.base}${area}/${file}`, {
    headers: { accept: '*/*', cookie: visitor.cookie },
    redirect: 'manual',
  })

const customer = async () => {
  const person = await makeCustomer()
  return { person, visitor: await signIn(person) }
}

test.group('Live support: files', (group) => {
  group.setup(async () => void (await startTestVaultService()))

  test('only the uploader sees an unsent file, and both sides of the conversation see a sent file', async ({
    assert,
  }) => {
    const { person, visitor } = await customer()
    const desk = await signIn(await makeStaff('support'))
    const other = await customer()
    const one = new Blob([new Uint8Array(3_000_000).fill(7)])
    const { status, files } = await upload(visitor, [
      ['photo_0', 'a.jpg', one],
      ['photo_1', 'b.png', new Blob(['png'])],
    ])
    assert.equal(status, 201)
    const path = files[0].file
    assert.match(path, /^chat-file\/[0-9a-f-]{36}\.jpg$/)
    assert.equal((await open(visitor, path)).status, 200, 'its sender sees it before it is sent')
    assert.equal((await open(desk, path, '/admin')).status, 404, 'nobody else does')
    const photos = files.map(({ file }) => file).join(',')
    assert.equal((await other.visitor.post(SEND_PATH, { photos })).status, 404)
    const sent = await visitor.post(SEND_PATH, { photos })
    const message = sent.json.data!.message as MessageView
    assert.deepEqual([message.files, message.file_type], [photos, 'photo'])
    assert.deepEqual(message.names, ['a.jpg', 'b.png'])
    const list = await desk.get(`/admin/live-support/message-list?client_id=${person.id}`)
    assert.equal((list.json.data as unknown as MessageList).messages[0].files, photos)
    const shown = await open(desk, path, '/admin')
    assert.equal(shown.headers.get('content-type'), 'image/jpeg')
    assert.equal((await shown.arrayBuffer()).byteLength, 3_000_000)
    assert.equal((await open(other.visitor, path)).status, 404)
    const unknown = await open(other.visitor, path.replace(/[0-9a-f]{8}/, '00000000'))
    assert.equal(unknown.status, 404)
    assert.equal(await unknown.text(), await (await open(other.visitor, path)).text())
    assert.equal((await visitor.post(SEND_PATH, { photos })).status, 404, 'a file is sent on once')
  })

  test('browsers never execute an uploaded file, whatever its name and content', async ({
    assert,
  }) => {
    const { visitor } = await customer()
    const { files } = await upload(visitor, [
      ['doc_0', '../"><img src=x onerror=alert(1)>\r\nX-A: b.txt', new Blob([page])],
      ['doc_1', 'ব্যাংক.pdf', new Blob([page])],
      ['photo_2', 'x.png', new Blob([page])],
    ])
    assert.lengthOf(files, 3)
    for (const { file } of files) {
      const { headers } = await open(visitor, file)
      const isPhoto = file.endsWith('.png')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.include(headers.get('content-security-policy')!, 'sandbox')
      assert.match(headers.get('content-type')!, /^(text\/plain|application\/pdf|image\/png)/)
      assert.match(headers.get('content-disposition')!, isPhoto ? /^inline/ : /^attachment/)
      assert.isNull(headers.get('x-a'))
    }
    for (const name of ['a.html', 'a.svg', 'a.js', 'a', '.jpg.php', 'a.jpg/']) {
      const refused = await upload(visitor, [['photo_0', name, new Blob([page])]])
      assert.equal(refused.status, 422, name)
      const document = await upload(visitor, [['doc_0', name, new Blob([page])]])
      assert.equal(document.status, 422, name)
    }
  })

  test('an upload of over ten files or over 25 MB stores no file', async ({ assert }) => {
    const { person, visitor } = await customer()
    const small = new Blob(['x'])
    const eleven = Array.from({ length: 11 }, (_, index): [string, string, Blob] => [
      `doc_${index}`,
      'a.txt',
      small,
    ])
    assert.equal((await upload(visitor, eleven)).status, 422)
    const large = new Blob([new Uint8Array(MAX_FILE_BYTES + 1)])
    const tooLarge = await upload(visitor, [
      ['doc_0', 'a.txt', small],
      ['doc_1', 'b.zip', large],
    ])
    assert.equal(tooLarge.status, 413)
    assert.lengthOf(await Attachment.query().where({ uploaderId: person.id }), 0)
    const most = await upload(visitor, [['doc_0', 'b.zip', large.slice(1)]])
    assert.equal(most.status, 201)
    assert.equal((await upload(visitor, [])).status, 422)
  })

  test('an upload gets 429 when the person has too many unsent files', async ({ assert }) => {
    const { person, visitor } = await customer()
    const waiting = Array.from({ length: MAX_UNSENT_FILES }, () => ({
      id: randomUUID(),
      uploaderId: person.id,
      kind: 'document' as const,
      name: 'a.txt',
      extension: 'txt',
      bytes: 1,
      createdAt: DateTime.now(),
    }))
    await Attachment.createMany(waiting)
    assert.equal((await upload(visitor, [['doc_0', 'a.txt', new Blob(['x'])]])).status, 429)
    await Attachment.query().where({ uploaderId: person.id }).delete()
    assert.equal((await upload(visitor, [['doc_0', 'a.txt', new Blob(['x'])]])).status, 201)
  })

  test('the cleanup deletes old unsent files, and keeps those of messages', async ({ assert }) => {
    const { person, visitor } = await customer()
    const sent = await upload(visitor, [['doc_0', 'a.txt', new Blob(['kept'])]])
    const left = await upload(visitor, [['doc_0', 'b.txt', new Blob(['left'])]])
    await sendMessage(await actorOf(person), person.id, { docs: sent.files[0].file })
    const old = new Date(Date.now() - 3 * 86_400_000)
    await Attachment.query().where({ uploaderId: person.id }).update({ created_at: old })
    await sweep.run(new AbortController().signal)
    assert.equal((await open(visitor, left.files[0].file)).status, 404)
    assert.equal(await (await open(visitor, sent.files[0].file)).text(), 'kept')
  })
})
