import { test } from '@japa/runner'
import { S3Error } from '../errors.js'
import { parseXml, writeXml } from '../xml.js'

const codeOf = (text: string) => {
  try {
    parseXml(text, 'Delete', 100)
    return 'done'
  } catch (error) {
    return error instanceof S3Error ? error.code : String(error)
  }
}

test.group('S3 XML', () => {
  test('object names that contain XML markup are returned unchanged', ({ assert }) => {
    const names = ['a&b', '<x>', '"q"', "it's", ' blanks ', 'a\rb', '&amp;', '&#65;', 'ü😀']
    const text = writeXml('Delete', { Object: names.map((Key) => ({ Key })) })
    const read = parseXml(text, 'Delete', 100)
    assert.deepEqual(
      read.all('Object').map((object) => object.text('Key')),
      names
    )
    assert.isUndefined(read.text('Quiet'))
  })

  test('numbers are parsed as text, and numeric character references are decoded', ({ assert }) => {
    const read = parseXml(
      '<Delete><Object><Key>007&#x41;&#66;</Key></Object></Delete>',
      'Delete',
      100
    )
    assert.equal(read.all('Object')[0].text('Key'), '007AB')
  })

  test('documents with too many elements, levels or attributes are rejected before parsing', ({
    assert,
  }) => {
    const many = 300_000
    for (const [title, text] of Object.entries({
      elements: `<Delete>${'<Object/>'.repeat(101)}</Delete>`,
      'a million elements': `<Delete>${'<a/>'.repeat(many)}</Delete>`,
      levels: `<Delete>${'<a>'.repeat(many)}${'</a>'.repeat(many)}</Delete>`,
      attributes: `<Delete ${'b '.repeat(many)}></Delete>`,
      quotes: `<Delete ${'b="\'" '.repeat(many)}></Delete>`,
      'open tags': '<'.repeat(many),
      namespaces: `<${'a:'.repeat(many)}></a>`,
      blanks: `<Delete${' '.repeat(many)}></Delete>`,
    })) {
      assert.equal(codeOf(text), 'MalformedXML', title)
    }
    assert.equal(codeOf(`<Delete>${'<Object/>'.repeat(99)}</Delete>`), 'done')
  })

  test('rejects invalid documents, entity declarations and other root elements', ({ assert }) => {
    const bomb =
      '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><Delete><Key>&b;</Key></Delete>'
    const outside = '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><Delete>&a;</Delete>'
    for (const text of [
      bomb,
      outside,
      '',
      'text',
      '<Delete>',
      '<Other/>',
      '<Delete><a></Delete>',
    ]) {
      assert.equal(codeOf(text), 'MalformedXML', text)
    }
    assert.equal(
      codeOf('<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><a/></Delete>'),
      'done'
    )
    const deep = '<a>'.repeat(5_000) + '</a>'.repeat(5_000)
    assert.equal(codeOf(`<Delete>${deep}</Delete>`), 'MalformedXML')
    const odd = codeOf('<Delete><__proto__><Key>x</Key></__proto__></Delete>')
    assert.include(['done', 'MalformedXML'], odd)
  })
})
