import {
  problemsOfCode,
  problemsOfComments,
  problemsOfDocument,
  problemsOfPath,
  regionalProblems,
} from '../../tests/prose/find_problems.js'
import { test } from '@japa/runner'

const terms = (source: string, path = 'app/core/example.ts') =>
  problemsOfCode(path, source).map(({ line, text, term }) => [line, text, term])

test.group('Regional settings in code', () => {
  test('a regional value (time zone, currency sign, fee) is reported, except in the file with the defaults', ({
    assert,
  }) => {
    const source =
      "const zone = 'Asia/Dhaka'\nconst factor = '1.0175'\nconst text = `৳${1}, 1.75% more`"
    const terms = regionalProblems('app/billing/mails.ts', source).map(({ line, term }) => [
      line,
      term,
    ])
    assert.deepEqual(terms, [
      [1, 'Asia/Dhaka'],
      [2, '1.0175'],
      [3, '৳'],
      [3, '1.75%'],
    ])
    assert.deepEqual(regionalProblems('app/core/settings/regional_settings.ts', source), [])
  })
})

test.group('Plain language', () => {
  test('forbidden words are found in every kind of name', ({ assert }) => {
    const source = `
      const MOST_ROWS = 5
      function tellOwner(given: string, { length: chosen }: string) {}
      interface Facts { lane_name: string; verdict(): void }
      class Box { #patience = 1; get elsewhere() { return 1 } }
      import { open as door } from 'somewhere'`
    assert.deepEqual(terms(source), [
      [2, 'MOST_ROWS', 'most'],
      [3, 'tellOwner', 'tell'],
      [3, 'given', 'given'],
      [3, 'chosen', 'chosen'],
      [4, 'Facts', 'facts'],
      [4, 'lane_name', 'lane'],
      [4, 'verdict', 'verdict'],
      [5, '#patience', 'patience'],
      [6, 'door', 'door'],
    ])
  })

  test('a forbidden name is not reported where the name is only used, nor as a part of a longer word', ({
    assert,
  }) => {
    assert.deepEqual(terms('const { told } = options; send({ told, place: 1 }); row.kept()'), [])
    assert.deepEqual(terms('const almost = 1, placed = 2, shelter = 3'), [])
  })

  test('forbidden phrases are found in strings, templates and JSX, even with other elements in between', ({
    assert,
  }) => {
    assert.deepEqual(
      terms("const a = 'Backups run by night'; const b = `${name} is told of ${event}`"),
      [
        [1, 'Backups run by night', 'by night'],
        [1, 'is told of', 'told of'],
      ]
    )
    assert.deepEqual(terms('const c = <p>\n  Unless\n  told</p>', 'inertia/example.tsx'), [
      [2, 'Unless told', 'unless told'],
    ])
  })

  test('forbidden words are found in paths, and phrases in documents outside of code', ({
    assert,
  }) => {
    assert.deepEqual(
      problemsOfPath('app/core/lane_news.ts').map(({ term }) => term),
      ['lane', 'news']
    )
    const text = 'It runs by night.\n```\nby night\n```\nUse `whoever` here.\nWhoever reads this'
    assert.deepEqual(
      problemsOfDocument('README.md', text).map(({ line, term }) => [line, term]),
      [
        [1, 'by night'],
        [6, 'whoever'],
      ]
    )
  })

  test('a forbidden word is accepted in a name that is allowed for the file’s path, and reported elsewhere', ({
    assert,
  }) => {
    const field = 'interface Row { told_at: string }'
    assert.deepEqual(terms(field), [])
    const place = 'interface Plan { place: string }'
    assert.deepEqual(terms(place, 'packages/backup/contract.ts'), [])
    assert.lengthOf(terms(place, 'packages/edge/contract.ts'), 1)
  })

  test('forbidden phrases are found in comments, even across a line break', ({ assert }) => {
    const source =
      '/**\n * Runs by\n * night.\n */\nconst a = 1 // unless told\nconst b = `// by night`'
    assert.deepEqual(
      problemsOfComments('app/core/example.ts', source).map(({ line, term }) => [line, term]),
      [
        [1, 'by night'],
        [5, 'unless told'],
      ]
    )
  })

  test('long sentences are found in documents, but not in tables and code', ({ assert }) => {
    const words = (count: number) => 'word '.repeat(count).trim()
    const long = `First comes ${words(29)}.`
    const found = (text: string) =>
      problemsOfDocument('README.md', text).map(({ line, term }) => [line, term])
    assert.deepEqual(found(`# Title\n\nShort.\n\n- An item. ${long}\n`), [[5, '31 words']])
    assert.deepEqual(found(`Short one. \`code\` ${words(20)}. A ${words(15)}: ${words(15)}.`), [])
    assert.deepEqual(found(`| a |\n|---|\n| ${long} |\n\n\`\`\`\n${long}\n\`\`\`\n`), [])
    assert.deepEqual(found(`A ${words(18)}. A ${words(18)}.`), [[1, 'a median of 19 words']])
  })
})
