import type { ArchiveEncoding } from '#files/inspect_zip_before_unpacking'
import { extraField, withComment, zipOf, type ZipEntry } from '#files/tests/zip'
import iconv from 'iconv-lite'

export interface ZipSample {
  /** The program that writes archives in this manner. */
  maker: string
  archive: Buffer
  /** Contents of all unpacked files by path. */
  files?: Record<string, string>
  /** Octal permissions of some files and folders. Without them, all files are 644. */
  modes?: Record<string, string>
  /** Number of files that desktop systems add and that are not unpacked. Default 0. */
  junk?: number
  /** Encoding of file names that the person chose. */
  encoding?: ArchiveEncoding
  /** Number of names in an encoding that the archive does not state. */
  guessed?: number
  /** Matches the error message if the archive is rejected. */
  refused?: RegExp
}

const text = (name: string, more: Partial<ZipEntry> = {}): ZipEntry => ({
  name,
  content: `content of ${name}`,
  ...more,
})

/** Unix time, owner and group (Info-ZIP, macOS). */
const unixTime = extraField(0x5455, Buffer.from([1, 0, 0, 0, 0]))
const unixOwner = extraField(0x7875, Buffer.from([1, 4, 0xe8, 3, 0, 0, 4, 0xe8, 3, 0, 0]))
/** Three times of NTFS in one attribute (7-Zip). */
const ntfsTimes = extraField(
  0x000a,
  Buffer.concat([Buffer.from([0, 0, 0, 0, 1, 0, 24, 0]), Buffer.alloc(24)])
)
const jarMark = extraField(0xcafe, '')
const privateFile = { mode: 0o100600 }
const damaged = /end of this archive is damaged/
const damagedList = /file list of this archive is damaged/

const page = { 'site/index.html': 'content of site/index.html' }
const one = (more: Partial<ZipEntry> = {}) => [text('site/index.html', more)]

const encoded = (name: string, encoding: ArchiveEncoding) => ({
  name: iconv.encode(name, encoding),
  content: 'x',
  system: 0,
})

/** Archives as real programs write them, and damaged and hostile ones, built while the test runs. */
export const zipSamples: ZipSample[] = [
  {
    maker: 'Windows Explorer, with a Bangla name',
    archive: zipOf([text('site/index.html', { system: 0 }), text('site/ছবি.txt', { system: 0 })]),
    files: { ...page, 'site/ছবি.txt': 'content of site/ছবি.txt' },
  },
  {
    maker: 'old .NET, with backslashes',
    archive: zipOf([{ name: 'site\\index.html', content: 'x', system: 0, isFlagged: false }]),
    files: { 'site/index.html': 'x' },
  },
  {
    maker: 'old .NET, with backslashes and a Bangla name',
    archive: zipOf([{ name: 'site\\ছবি.txt', content: 'x', system: 0 }]),
    files: { 'site/ছবি.txt': 'x' },
  },
  {
    maker: 'Russian Windows, with its code page',
    archive: zipOf([encoded('сайт/страница.html', 'cp866')]),
    encoding: 'cp866',
    files: { 'сайт/страница.html': 'x' },
  },
  {
    maker: 'Russian Windows, without its code page',
    archive: zipOf([encoded('да.html', 'cp866'), { name: 'a.html', content: 'x' }]),
    guessed: 1,
    files: { 'ñá.html': 'x', 'a.html': 'x' },
  },
  {
    maker: 'Chinese Windows',
    archive: zipOf([encoded('首页.html', 'gbk')]),
    encoding: 'gbk',
    files: { '首页.html': 'x' },
  },
  {
    maker: 'Japanese Windows, with a backslash inside a character',
    archive: zipOf([encoded('表.html', 'shift_jis')]),
    encoding: 'shift_jis',
    files: { '表.html': 'x' },
  },
  {
    maker: 'Western Windows, unpacked as Chinese',
    archive: zipOf([{ name: Buffer.from([0xff, 0x2e, 0x61]), content: 'x', system: 0 }]),
    encoding: 'gbk',
    refused: /Choose another file name encoding/,
  },
  {
    maker: 'macOS Finder, with a decomposed name',
    archive: zipOf([
      { name: Buffer.from('cafe\u0301/u\u0308.html'), content: 'x', descriptor: 'plain' },
    ]),
    files: { 'café/ü.html': 'x' },
  },
  {
    maker: 'macOS Finder, with a Bangla name and its program',
    archive: zipOf([
      { name: Buffer.from('ছবি.sh'), content: 'x', descriptor: 'plain', mode: 0o100755 },
    ]),
    files: { 'ছবি.sh': 'x' },
    modes: { 'ছবি.sh': '755' },
  },
  {
    maker: 'macOS, with a decomposed name that is marked as UTF-8',
    archive: zipOf([{ name: 'cafe\u0301.sh', content: 'x', descriptor: 'plain', mode: 0o100755 }]),
    files: { 'café.sh': 'x' },
    modes: { 'café.sh': '755' },
  },
  {
    maker: 'Windows Explorer, with a Bangla name that is too long',
    archive: zipOf([{ name: `${'ছ'.repeat(86)}.txt`, content: 'x', system: 0 }]),
    refused: /longer than 255 bytes/,
  },
  {
    maker: 'macOS Finder',
    archive: zipOf([
      { name: 'site/', mode: 0o040755, isStored: true, isFlagged: false },
      ...one({ descriptor: 'plain', localExtra: unixOwner, centralExtra: unixOwner }),
      text('__MACOSX/site/._index.html', { descriptor: 'plain' }),
      text('site/.DS_Store', { descriptor: 'plain' }),
    ]),
    files: page,
    junk: 2,
  },
  {
    maker: 'Android, with aligned content and no modes',
    archive: zipOf(one({ system: 0, descriptor: 'plain', localExtra: Buffer.alloc(3) })),
    files: page,
  },
  {
    maker: 'Python zipfile, writestr',
    archive: zipOf(
      [
        { name: 'site/', mode: 0o040700, isStored: true },
        text('site/index.html', privateFile),
        text('site/.env', privateFile),
        text('site/wp-config.php', privateFile),
        text('site/server.pem', privateFile),
        text('site/.ssh/config', privateFile),
        text('site/id_ed25519', privateFile),
        text('site/BACKUP.SQL', privateFile),
        text('site/id_card.png', privateFile),
      ].map((entry) => ({ ...entry, isFlagged: false }))
    ),
    files: {
      ...page,
      'site/.env': 'content of site/.env',
      'site/wp-config.php': 'content of site/wp-config.php',
      'site/server.pem': 'content of site/server.pem',
      'site/.ssh/config': 'content of site/.ssh/config',
      'site/id_ed25519': 'content of site/id_ed25519',
      'site/BACKUP.SQL': 'content of site/BACKUP.SQL',
      'site/id_card.png': 'content of site/id_card.png',
    },
    modes: {
      site: '755',
      'site/index.html': '644',
      'site/.env': '644',
      'site/wp-config.php': '644',
      'site/server.pem': '600',
      'site/.ssh/config': '600',
      'site/id_ed25519': '600',
      'site/BACKUP.SQL': '600',
      'site/id_card.png': '644',
    },
  },
  {
    maker: 'Python zipfile, force_zip64 and to a pipe',
    archive: zipOf(one({ isLocalZip64: true, descriptor: 'zip64', isFlagged: false })),
    files: page,
  },
  {
    maker: 'Python zipfile, ZIP64 for the directory',
    archive: zipOf(one({ isLocalZip64: true }), { zip64: 'equal' }),
    files: page,
  },
  {
    maker: 'PHP ZipArchive',
    archive: zipOf([
      text('site/index.html', { mode: 0o100664, isStored: true, isFlagged: false }),
      { name: 'site/empty', mode: 0o100664, isStored: true, isFlagged: false },
    ]),
    files: { ...page, 'site/empty': '' },
    modes: { 'site/index.html': '664', 'site/empty': '664' },
  },
  {
    maker: 'Java ZipOutputStream',
    archive: zipOf(one({ system: 0, descriptor: 'plain', localExtra: jarMark })),
    files: page,
  },
  {
    maker: 'Java ZipOutputStream, with a Bangla folder',
    archive: zipOf([
      { name: 'ছবি/', system: 0, isStored: true },
      text('ছবি/ক.txt', { system: 0, descriptor: 'plain' }),
    ]),
    files: { 'ছবি/ক.txt': 'content of ছবি/ক.txt' },
    modes: { ছবি: '755', 'ছবি/ক.txt': '644' },
  },
  {
    maker: 'Java, ZIP64 in every record',
    archive: zipOf(one({ system: 0, descriptor: 'zip64', isLocalZip64: true, zip64: 'all' }), {
      zip64: 'marked',
    }),
    files: page,
  },
  {
    maker: '7-Zip, with times of NTFS',
    archive: zipOf(one({ system: 0, centralExtra: ntfsTimes, isFlagged: false })),
    files: page,
  },
  {
    maker: '7-Zip, ZIP64 beside times of NTFS',
    archive: zipOf(one({ system: 0, centralExtra: ntfsTimes, zip64: 'all' })),
    files: page,
  },
  {
    maker: 'Info-ZIP, with a Unicode path',
    archive: zipOf([
      text('bangla.txt', {
        unicodeName: 'বাংলা.txt',
        localExtra: unixTime,
        centralExtra: Buffer.concat([unixTime, unixOwner]),
      }),
    ]),
    files: { 'বাংলা.txt': 'content of bangla.txt' },
  },
  {
    maker: 'Info-ZIP from a pipe',
    archive: zipOf(
      [text('-', { mode: 0o010600, isLocalZip64: true, descriptor: 'zip64', isFlagged: false })],
      { zip64: 'equal' }
    ),
    files: { '-': 'content of -' },
  },
  {
    maker: 'Google Drive',
    archive: zipOf([text('site/ছবি.txt', { system: 0, descriptor: 'plain' }), ...one()], {
      zip64: 'marked',
    }),
    files: { ...page, 'site/ছবি.txt': 'content of site/ছবি.txt' },
  },
  {
    maker: 'a writer that repeats all values',
    archive: zipOf(one({ zip64: 'repeated' }), { zip64: 'equal' }),
    files: page,
  },
  {
    maker: 'a writer that moves only the offset',
    archive: zipOf([text('first'), ...one({ zip64: 'offset' })]),
    files: { ...page, first: 'content of first' },
  },
  {
    maker: 'a self-extracting program, ZIP64',
    archive: zipOf(one({ zip64: 'all' }), { zip64: 'marked', prefix: Buffer.alloc(512, 'MZ') }),
    files: page,
  },
  {
    maker: 'a writer that counts no disks',
    archive: zipOf(one(), { zip64: 'marked', damage: (_, locator) => locator.fill(0, 16) }),
    files: page,
  },
  {
    maker: '7-Zip, with AES-256',
    archive: zipOf(
      one({
        encrypted: true,
        method: 99,
        centralExtra: extraField(0x9901, Buffer.from([2, 0, 65, 69, 3, 8, 0])),
      })
    ),
    refused: /This archive is encrypted/,
  },
  {
    maker: '7-Zip, with Deflate64',
    archive: zipOf(one({ method: 9 })),
    refused: /compressed with Deflate64/,
  },
  {
    maker: '7-Zip, with bzip2',
    archive: zipOf(one({ method: 12 })),
    refused: /compressed with bzip2/,
  },
  {
    maker: '7-Zip, with LZMA',
    archive: zipOf(one({ method: 14 })),
    refused: /compressed with LZMA/,
  },
  {
    maker: 'WinZip, with Zstandard',
    archive: zipOf(one({ method: 93 })),
    refused: /compressed with Zstandard/,
  },
  {
    maker: 'Windows Explorer, with empty folders and files',
    archive: zipOf([
      { name: 'site/', system: 0, isStored: true, isFlagged: false },
      { name: 'site/uploads/', system: 0, isStored: true, isFlagged: false },
      { name: 'site/empty.txt', system: 0, isStored: true, isFlagged: false },
      ...one({ system: 0, isFlagged: false }),
    ]),
    files: { ...page, 'site/empty.txt': '' },
    modes: { 'site/uploads': '755', 'site/empty.txt': '644' },
  },
  {
    maker: 'Windows Explorer, with names that differ in case',
    archive: zipOf([text('site/Index.html'), ...one()]),
    files: { ...page, 'site/Index.html': 'content of site/Index.html' },
  },
  {
    maker: 'PHP ZipArchive, with an absolute path of Unix',
    archive: zipOf([text('/var/www/index.html')]),
    refused: /absolute path: “\/var\/www\/index\.html”/,
  },
  {
    maker: 'a backup program of Windows, with drive letters',
    archive: zipOf([text('C:\\sites\\index.html', { system: 0, isFlagged: false })]),
    refused: /absolute path: “C:\\sites\\index\.html”/,
  },
  {
    maker: 'a packed parent folder',
    archive: zipOf([text('../site/index.html')]),
    refused: /a path outside its folder/,
  },
  {
    maker: 'a comment of an FTP program at the end',
    archive: withComment(zipOf(one()), 'Packed for shop.example\r\n'),
    files: page,
  },
  {
    maker: 'a self-extracting program of 7-Zip',
    archive: zipOf(one({ system: 0 }), { prefix: Buffer.from(`MZ${'\0'.repeat(700)}`) }),
    files: page,
  },
  {
    maker: 'GitHub, with a commit as comment',
    archive: withComment(
      zipOf([{ name: 'site-main/', mode: 0o040755, isStored: true }, text('site-main/index.html')]),
      'baab21b4b'.repeat(4)
    ),
    files: { 'site-main/index.html': 'content of site-main/index.html' },
  },
  {
    maker: 'Java jar, with its manifest first',
    archive: zipOf([
      {
        name: 'META-INF/',
        system: 0,
        descriptor: 'plain',
        localExtra: jarMark,
        centralExtra: jarMark,
      },
      text('META-INF/MANIFEST.MF', { system: 0, descriptor: 'plain' }),
      text('Main.class', { system: 0, descriptor: 'plain' }),
    ]),
    files: {
      'META-INF/MANIFEST.MF': 'content of META-INF/MANIFEST.MF',
      'Main.class': 'content of Main.class',
    },
  },
  {
    maker: 'Info-ZIP, the last of several parts',
    archive: zipOf(one(), {
      damage: (_, __, end) => {
        end.writeUInt16LE(2, 4)
        end.writeUInt16LE(2, 6)
      },
    }),
    refused: /one of several parts/,
  },
  {
    maker: 'Info-ZIP, an appended newer version of the same file',
    archive: zipOf([text('site/index.html', { content: 'old' }), ...one()]),
    files: page,
  },

  {
    maker: 'a liar: ZIP64 and plain count differ',
    archive: zipOf(one(), { zip64: 'equal', damage: (_, __, end) => end.writeUInt16LE(2, 10) }),
    refused: damaged,
  },
  {
    maker: 'a liar: ZIP64 and plain offset differ',
    archive: zipOf(one(), { zip64: 'equal', damage: (_, __, end) => end.writeUInt32LE(1, 16) }),
    refused: damaged,
  },
  {
    maker: 'a liar: ZIP64 and plain length differ',
    archive: zipOf(one(), { zip64: 'equal', damage: (_, __, end) => end.writeUInt32LE(1, 12) }),
    refused: damaged,
  },
  {
    maker: 'a liar: two counts in the ZIP64 record',
    archive: zipOf(one(), { zip64: 'marked', damage: (record) => record.writeUInt8(2, 24) }),
    refused: damaged,
  },
  {
    maker: 'a liar: the locator names another place',
    archive: zipOf(one(), {
      zip64: 'marked',
      damage: (_, locator) => locator.writeUInt32LE(locator.readUInt32LE(8) - 1, 8),
    }),
    refused: damaged,
  },
  {
    maker: 'a liar: a locator without its record',
    archive: zipOf(one(), { zip64: 'equal', damage: (record) => record.fill(0, 0, 4) }),
    refused: damaged,
  },
  {
    maker: 'a liar: one of several disks',
    archive: zipOf(one(), { zip64: 'marked', damage: (record) => record.writeUInt8(1, 16) }),
    refused: damaged,
  },
  {
    maker: 'a liar: markers without ZIP64 values',
    archive: zipOf(one({ zip64: 'missing' })),
    refused: damagedList,
  },
  {
    maker: 'a liar: two ZIP64 fields',
    archive: zipOf(one({ zip64: 'twice' })),
    refused: damagedList,
  },
  {
    maker: 'a liar: ZIP64 repeats another size',
    archive: zipOf(one({ zip64: 'wrong' })),
    refused: damagedList,
  },
  {
    maker: 'a bomb: millions of entries in ZIP64',
    archive: zipOf(one(), {
      zip64: 'marked',
      damage: (record) => {
        record.writeUInt32LE(5_000_000, 24)
        record.writeUInt32LE(5_000_000, 32)
      },
    }),
    refused: /more than 50,000/,
  },
  {
    maker: 'a bomb: more than 4 GB in ZIP64',
    archive: zipOf(one(), { zip64: 'marked', damage: (record) => record.writeUInt8(2, 44) }),
    refused: /more than 4 GB/,
  },
]
