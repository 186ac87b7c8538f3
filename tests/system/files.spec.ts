import { openUpload, sendUpload } from '#files/tests/upload'
import { rootShellCommand } from '#terminal/actions/root_shell'
import { eventually } from '#tests/support/eventually'
import { createInstanceOrderer, type OrderedInstance } from '#tests/support/instance_orders'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'

const BYTES_PER_MIB = 1024 ** 2
const WEB_ROOT = '/var/www/public_html'
const DISK_FULL_PATTERN = /^The disk of this server instance is full\. Nothing was changed/
/** Script that creates a Git repository, an app with npm packages, and a folder like those that Composer unpacks. */
const MADE_BY_ROOT_SCRIPT = `git init -q -b main repo
cd repo
git config user.name root && git config user.email root@example.com
echo 1 > file && git add . && git commit -qm one
git branch other && echo 2 > file && git commit -qam two
cd ..
mkdir app && cd app && npm init -y > /dev/null && mkdir -p local src && cp /etc/hostname src/copied.ts
echo '{"name":"local","version":"1.0.0"}' > local/package.json
npm install --offline --no-audit --no-fund ./local > /dev/null
cd ..
mkdir -p vendor/one/src && echo '<?php' > vendor/one/src/a.php && echo '<?php' > vendor/autoload.php`
/** Script that creates a folder with links. If root repaired it carelessly, root would change files elsewhere. */
const HOSTILE_TREE_SCRIPT = `mkdir -p trap uploads && ln -s /etc trap/etc && ln -s /etc/shadow trap/shadow
ln -s / trap/root && ln /usr/bin/less trap/less && echo 1 > secret && chmod 600 secret
echo 1 > uploads/photo.jpg && chown -R www-data: uploads`
const OUTSIDE_STATE_SCRIPT = `stat -c '%n %u %g %a' /etc /etc/shadow / /usr/bin/less /root /var/www && ls -ld /etc | cut -c1-11`
const socket = process.env.INCUS_SOCKET

for (const type of ['regular', 'shared'] as const) {
  test.group(`Files on a real ${type} instance`, (group) => {
    if (!socket || !existsSync(socket)) {
      test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
      return
    }

    let orders: Awaited<ReturnType<typeof createInstanceOrderer>>
    let site: OrderedInstance
    let visitor: Visitor

    const at = (path: string, query: Record<string, string> = {}) =>
      `/file-manager${path}?${new URLSearchParams({ ...query, server_instance_id: String(site.instance.id) })}`
    const upload = (name: string, content: Buffer, told = true) =>
      sendUpload(visitor, at('/upload-file', { name, path: '', overwrite: '1' }), name, content, {
        told,
      })
    const begin = (name: string, length: number) =>
      openUpload(visitor, at('/upload-file', { name, path: '', overwrite: '1' }), name, length)
    const inRoot = async () =>
      (await site.sh(`ls -A ${WEB_ROOT}`)).split('\n').filter(Boolean).sort()

    /** Runs lines as a customer types them: with the terminal's own command and shell. */
    const asRootInTerminal = (lines: string) =>
      site.asRoot(rootShellCommand(WEB_ROOT), { stdin: `set -e\n${lines}\n` })
    const asOwner = (line: string) =>
      site.sh(`cd ${WEB_ROOT} && sudo -n -H -u berth sh -c '${line}'`)
    const works = async (path: string, body: object) => {
      const { status, text } = await visitor.post(path, body)
      if (status >= 300) throw new Error(`${path} ${JSON.stringify(body)}: ${status} ${text}`)
    }
    const worksAsOwner = async (assert: Assert) => {
      const server_instance_id = site.instance.id
      await works(at('/update-file'), { path: 'app/package.json', content: '{"private":true}' })
      await works(at('/rename'), { oldPath: 'vendor/one', newPath: 'vendor/two' })
      await works(at('/delete'), { type: 'folder', path: 'vendor' })
      await works(at('/store'), { path: 'app/src', name: 'new.ts', type: 'file' })
      await works('/git/checkout', { path: 'repo', branch: 'other', server_instance_id })
      await works('/git/update-branch', {
        path: 'repo',
        branch: 'main',
        action: 'merge',
        server_instance_id,
      })
      await asOwner(
        'cd repo && echo 2 > mine && git add . && git -c user.name=b -c user.email=b@b commit -qm mine'
      )
      // Git, run by root, accepts commits that the owner made.
      await asRootInTerminal('cd repo && git status --short && git log -1 --format=%s')
      await asOwner('cd app && npm install --offline --no-audit --no-fund ./local')
      assert.include(await site.sh(`cat ${WEB_ROOT}/app/package.json`), 'local')
    }

    group.each.timeout(900_000)
    group.setup(async () => {
      orders = await createInstanceOrderer()
      const customer = await makeCustomer()
      site = await orders.order(customer, type)
      visitor = await signIn(customer)
      return () => orders.end()
    })
    // Removes leftovers before each test, not after it, because the last test kills the instance.
    group.each.setup(async () => {
      await site.sh(`rm -rf ${WEB_ROOT}/* /var/ballast`)
    })

    test('an upload above the quota is rejected at once, and the old file stays', async ({
      assert,
    }) => {
      await site.sh(`echo -n old > ${WEB_ROOT}/data.bin && chown berth: ${WEB_ROOT}/*`)
      const content = randomBytes(3 * BYTES_PER_MIB)
      for (const left of [0, BYTES_PER_MIB]) {
        await site.leave(left)
        for (const told of [true, false]) {
          const { status, message } = await upload('data.bin', content, told)
          assert.equal(status, 507, message)
          assert.match(message, DISK_FULL_PATTERN)
        }
        // Sends much more than all buffers between browser and instance can hold.
        const { status } = await upload('data.bin', randomBytes(64 * BYTES_PER_MIB))
        assert.equal(status, 507)
      }
      assert.equal(await site.sh(`cat ${WEB_ROOT}/data.bin`), 'old')
      assert.deepEqual(await inRoot(), ['data.bin'])
      await site.makeRoom()
      const last = await upload('data.bin', content)
      assert.equal(last.status, 201, last.message)
      assert.equal(await site.sh(`stat -c %s ${WEB_ROOT}/data.bin`), String(content.length))
    })

    /** Starts a download of a file that is too large to be sent before the test ends. */
    const download = async (address: string) => {
      await site.sh(`truncate -s 1T ${WEB_ROOT}/large.bin`)
      const leaving = new AbortController()
      const { body } = await visitor.fetch(address, { signal: leaving.signal })
      const reader = body!.getReader()
      await reader.read()
      return { reader, leave: () => leaving.abort() }
    }

    for (const [what, address, program] of [
      ['a download', () => at('/download-file', { path: 'large.bin' }), 'dd'],
      ["a folder's download", () => at('/download-folder', { path: '/' }), 'tar'],
    ] as const) {
      test(`the sending program ends when the reader of ${what} disconnects`, async ({
        assert,
      }) => {
        const { leave } = await download(address())
        await site.sh(`pgrep -x ${program}`)
        leave()
        await eventually(async () =>
          assert.equal(await site.sh(`pgrep -x ${program} || echo none`), 'none')
        )
      })
    }

    test('a zip is reported as incomplete if the packing program is killed', async ({ assert }) => {
      const { reader } = await download(at('/download-folder', { path: '/' }))
      await site.sh('pkill -KILL -x tar')
      const end = async () => {
        while (!(await reader.read()).done);
      }
      await assert.rejects(end, /terminated/)
    })

    test('the receiving program ends when the sender disconnects', async ({ assert }) => {
      const { request } = begin('cut.bin', 5 * BYTES_PER_MIB)
      request.write(Buffer.alloc(BYTES_PER_MIB))
      await eventually(async () => assert.lengthOf(await inRoot(), 1))
      request.destroy()
      await eventually(async () => {
        assert.deepEqual(await inRoot(), [])
        assert.equal(await site.sh('pgrep -x dd || echo none'), 'none')
      })
    })

    test('the response arrives at once when the command on the machine is killed', async ({
      assert,
    }) => {
      const { request, answer } = begin('killed.bin', 50 * BYTES_PER_MIB)
      request.write(Buffer.alloc(BYTES_PER_MIB))
      await eventually(() => site.sh('pgrep -x dd'))
      await site.sh('pkill -KILL -x dd')
      // The client sends nothing more. The server must respond without waiting for the rest of the upload.
      assert.equal((await answer).status, 409)
      request.on('error', () => {}).destroy()
      await eventually(async () => assert.deepEqual(await inRoot(), []))
    })

    test('the file manager and git may change files that root created in the terminal', async ({
      assert,
    }) => {
      await asRootInTerminal(MADE_BY_ROOT_SCRIPT)
      await worksAsOwner(assert)
    })

    test('existing files of root are given to the owner, and targets of links stay unchanged', async ({
      assert,
    }) => {
      await site.sh(`setfacl -b ${WEB_ROOT} && rm -f /etc/gitconfig`)
      await asRootInTerminal(MADE_BY_ROOT_SCRIPT)
      await asRootInTerminal(HOSTILE_TREE_SCRIPT)
      const before = await site.sh(OUTSIDE_STATE_SCRIPT)
      const refused = await visitor.post(at('/delete'), { type: 'folder', path: 'vendor' })
      assert.equal(refused.status, 403)
      assert.match(refused.json.message!, /another user .*“Fix ownership”/)
      const path = { path: 'repo', branch: 'other', server_instance_id: site.instance.id }
      const checkout = await visitor.post('/git/checkout', path)
      assert.equal(checkout.status, 403, checkout.text)
      assert.match(checkout.json.message!, /another user .*“Fix ownership”/)

      const fixed = await visitor.post(at('/fix-ownership'))
      assert.equal(fixed.status, 200, fixed.text)
      assert.isAbove(Number(fixed.json.data!.changed), 10)
      assert.equal(await site.sh(OUTSIDE_STATE_SCRIPT), before)
      // The uploads folder still belongs to PHP's user, but customers can delete it.
      assert.equal(await site.sh(`stat -c %U ${WEB_ROOT}/uploads/photo.jpg`), 'www-data')
      const gone = await visitor.post(at('/delete'), { type: 'folder', path: 'uploads' })
      assert.equal(gone.status, 200, gone.text)
      await worksAsOwner(assert)
      // After the repair, the owner can also delete files that root creates later.
      await asRootInTerminal('mkdir -p later/deep && echo 1 > later/deep/file')
      const later = await visitor.post(at('/delete'), { type: 'folder', path: 'later' })
      assert.equal(later.status, 200, later.text)
    })

    test('the response arrives at once when the machine is killed', async ({ assert }) => {
      const { request, answer } = begin('lost.bin', 50 * BYTES_PER_MIB)
      request.write(Buffer.alloc(BYTES_PER_MIB))
      await eventually(() => site.sh('pgrep -x dd'))
      await site.cutPower()
      assert.equal((await answer).status, 503)
      request.on('error', () => {}).destroy()
    })
  })
}
