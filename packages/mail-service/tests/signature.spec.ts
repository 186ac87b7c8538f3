import { test } from '@japa/runner'
import { generateKeyPairSync } from 'node:crypto'
import { dkimVerify } from 'mailauth'
import { signatureOf } from '../dkim/signature.js'
import { Signer } from '../dkim/signer.js'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const key = { domain: 'shop.test', selector: 'berth1', privateKey }

async function says(signed: Buffer): Promise<string> {
  const { results } = await dkimVerify(signed, {
    resolver: (async () => [[`v=DKIM1; k=rsa; p=${der}`]]) as never,
  })
  return results[0]!.status.result
}

const MESSAGE_HEADER = 'From: Shop <shop@shop.test>\r\nTo: <a@there.test>\r\nSubject: Words\r\n'

/** Messages as SMTP clients send them. */
const SAMPLE_MESSAGES: Record<string, string> = {
  'no body': `${MESSAGE_HEADER}\r\n`,
  'no empty line': MESSAGE_HEADER,
  'empty lines only': `${MESSAGE_HEADER}\r\n\r\n \t\r\n\r\n`,
  'empty lines at the end': `${MESSAGE_HEADER}\r\nwords\r\n\r\n \r\n\t\r\n`,
  'no end of the last line': `${MESSAGE_HEADER}\r\nwords`,
  'blanks at the end': `${MESSAGE_HEADER}\r\nwords \t `,
  'blanks everywhere': `${MESSAGE_HEADER}\r\n  a \t b\t\tc  \r\n\r\n\r\n\t d\r\n`,
  'folded and odd fields': `Subject :  a\r\n\t b  \t c \r\nFROM:\r\n shop@shop.test\r\nX-Other: 1\r\nTo:\r\n\r\nb\r\n`,
  'fields that come twice': `To: b@there.test\r\n${MESSAGE_HEADER}Subject: other\r\n\r\nbody\r\n`,
  'bytes beyond ASCII': Buffer.from(
    `${MESSAGE_HEADER}Reply-To: Là <a@b.test> à\r\n\r\nlà à\r\n`
  ).toString('latin1'),
  'no-break space at an end': `${MESSAGE_HEADER}Comments: x\r\nReferences: \xa0a\xa0\r\n\r\n\xa0 \xa0\r\n`,
}

test.group('DKIM signatures', () => {
  for (const [name, text] of Object.entries(SAMPLE_MESSAGES)) {
    test(`dkimpy, another implementation, verifies the signature: ${name}`, async ({ assert }) => {
      const raw = Buffer.from(text, 'latin1')
      const signature = await signatureOf(raw, key)
      assert.isBelow(Math.max(...signature.split('\r\n').map((line) => line.length)), 79)
      const signed = Buffer.concat([Buffer.from(signature), raw])
      assert.equal(await says(signed), 'pass')
      const forged = Buffer.from(signed.toString('latin1').replace('Words', 'Swords'), 'latin1')
      if (!forged.equals(signed)) assert.equal(await says(forged), 'fail')
    })
  }

  test('a second From field, added in front, makes the verification fail', async ({ assert }) => {
    const raw = Buffer.from(`${MESSAGE_HEADER}\r\nbody\r\n`)
    const signed = `From: other@evil.test\r\n${await signatureOf(raw, key)}${raw.toString()}`
    assert.equal(await says(Buffer.from(signed)), 'fail')
  })

  test('a long message is signed in a worker thread, and a thread that ended is replaced', async ({
    assert,
  }) => {
    const signer = new Signer()
    const raw = Buffer.from(`${MESSAGE_HEADER}\r\n${'a line of words\r\n'.repeat(40_000)}`)
    for (let round = 0; round < 2; round++) {
      const signed = Buffer.concat([Buffer.from(await signer.sign(raw, key)), raw])
      assert.equal(await says(signed), 'pass')
      await signer.stop()
    }
  })
})
