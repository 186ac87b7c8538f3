import { test } from '@japa/runner'
import { readdir, readFile } from 'node:fs/promises'
import { parseBounceOrComplaintMail } from '../inbound/delivery_report.js'

const CORPUS = new URL('../../../tests/corpus/mail/', import.meta.url)

type Outcome =
  /** `hard`: the recipient does not exist or is disabled, and is added to the suppression list. */
  | [file: string, kind: 'hard' | 'soft', code: number | null, enhanced: string | null]
  /** `none`: the file does not report a failure. */
  | [file: string, kind: 'none']

/** Expected outcomes of reports by common mail servers. To add a report, add a file and a line here. */
const outcomes: Outcome[] = [
  ['amavis_banned', 'soft', 554, '5.7.0'],
  ['amavis_spam', 'soft', 554, '5.7.0'],
  ['contradiction', 'soft', 550, '5.1.1'],
  ['domino_unknown', 'hard', null, '5.1.1'],
  ['exchange_old_administrator', 'hard', null, null],
  ['exchange_old_no_server', 'none'],
  ['exchange_old_text', 'hard', null, null],
  ['exchange_online_edge_denied', 'soft', 550, '5.4.1'],
  ['exchange_online_full', 'soft', 554, '5.2.2'],
  ['exchange_online_hash', 'hard', 550, '5.1.10'],
  ['exchange_online_remote', 'hard', 550, '5.1.1'],
  ['exchange_online_restricted', 'soft', 550, '5.7.133'],
  ['exchange_online_text_only', 'hard', 550, '5.1.10'],
  ['exchange_online_unknown', 'hard', 550, '5.1.10'],
  ['exchange_server_2007', 'hard', 550, '5.1.1'],
  ['exchange_server_hash', 'hard', null, '5.1.1'],
  ['exchange_store_unavailable', 'soft', 554, '5.3.0'],
  ['exim_full', 'soft', 552, '5.2.2'],
  ['exim_local_part', 'hard', 550, '5.0.0'],
  ['exim_no_enhanced', 'hard', 550, '5.0.0'],
  ['exim_old_delay', 'none'],
  ['exim_old_text', 'hard', 550, null],
  ['exim_old_timeout', 'soft', null, null],
  ['exim_old_unrouteable', 'hard', null, null],
  ['exim_policy', 'soft', 550, '5.7.1'],
  ['exim_prohibited', 'soft', 550, '5.0.0'],
  ['exim_sender_verify', 'soft', 550, '5.0.0'],
  ['exim_spam', 'soft', 550, '5.0.0'],
  ['exim_timeout', 'soft', 451, '4.7.1'],
  ['exim_unknown', 'hard', 550, '5.1.1'],
  ['exim_unrouteable', 'hard', 550, '5.0.0'],
  ['gateway_text', 'hard', 550, '5.1.1'],
  ['gmail_delay', 'none'],
  ['gmail_disabled', 'hard', 550, '5.2.1'],
  ['gmail_full', 'soft', 552, '5.2.2'],
  ['gmail_rate', 'soft', 550, '5.2.1'],
  ['gmail_unauthenticated', 'soft', 550, '5.7.26'],
  ['gmail_unknown', 'hard', 550, '5.1.1'],
  ['gmx_policy', 'soft', 554, '5.0.0'],
  ['gmx_unavailable', 'hard', 550, '5.0.0'],
  ['mailru_unknown', 'hard', 550, '5.0.0'],
  ['outlook_blocked', 'soft', 550, '5.7.1'],
  ['outlook_unavailable', 'hard', 550, '5.5.0'],
  ['postfix_delayed', 'none'],
  ['postfix_dovecot_full', 'soft', 552, '5.2.2'],
  ['postfix_expired', 'soft', null, '4.4.1'],
  ['postfix_full', 'soft', 452, '4.2.2'],
  ['postfix_local_unknown', 'hard', null, '5.1.1'],
  ['postfix_no_domain', 'soft', null, '5.4.4'],
  ['postfix_spam', 'soft', 554, '5.7.1'],
  ['postfix_unknown', 'hard', 550, '5.1.1'],
  ['postfix_utf8', 'hard', 550, '5.1.1'],
  ['qmail_connection', 'soft', null, '4.4.1'],
  ['qmail_full', 'soft', null, '5.2.2'],
  ['qmail_local', 'hard', null, '5.1.1'],
  ['qmail_no_code', 'hard', null, null],
  ['qmail_no_host', 'hard', null, '5.1.2'],
  ['qmail_remote', 'hard', 550, '5.1.1'],
  ['qmail_spam', 'soft', 550, null],
  ['sendmail_address_like_reason', 'hard', 550, '5.0.0'],
  ['sendmail_expired', 'soft', null, '4.4.7'],
  ['sendmail_invalid_mime', 'soft', 550, '5.6.0'],
  ['sendmail_ip_is_no_status', 'soft', 554, '5.0.0'],
  ['sendmail_service_unavailable', 'soft', 554, '5.0.0'],
  ['sendmail_unknown', 'hard', 550, '5.1.1'],
  ['sendmail_unspecific', 'hard', 550, '5.3.0'],
  ['sendmail_warning', 'none'],
  ['vacation', 'none'],
  ['vacation_return', 'none'],
  ['vacation_street', 'soft', 550, null],
  ['yahoo_disabled', 'hard', 554, '5.0.0'],
  ['yahoo_full', 'soft', 554, '5.0.0'],
  ['yahoo_no_account', 'hard', 554, '5.0.0'],
  ['yahoo_text', 'hard', 554, null],
  ['zimbra_full', 'soft', 452, '5.2.2'],
  ['zimbra_unknown', 'hard', 550, '5.1.1'],
  ['yandex_unknown', 'hard', 550, '5.7.1'],
  ['icloud_full', 'soft', 552, '5.2.2'],
  ['proton_unknown', 'hard', 550, '5.1.1'],
  ['barracuda_blocked', 'soft', 550, '5.0.0'],
  ['mimecast_invalid', 'hard', 550, '5.0.0'],
  ['ironport_rejected', 'soft', 550, '5.1.0'],
  ['zoho_policy', 'soft', 554, '5.2.3'],
  ['yandex_policy', 'soft', 554, '5.7.1'],
  ['gateway_allowlist', 'soft', 550, '5.7.1'],
  ['gateway_trusted_senders', 'soft', 550, '5.7.1'],
]

test.group('Delivery reports of other mail servers', () => {
  test('each file of the corpus has an expected outcome', async ({ assert }) => {
    const files = (await readdir(CORPUS)).map((name) => name.replace(/\.eml$/, ''))
    assert.sameMembers(
      outcomes.map(([file]) => file),
      files
    )
  })

  test('{$self}.eml has its expected outcome')
    .with(outcomes.map(([file]) => file))
    .run(async ({ assert }, file) => {
      const [, kind, code, enhanced] = outcomes.find(([name]) => name === file)!
      const raw = await readFile(new URL(`${file}.eml`, CORPUS))
      const report = await parseBounceOrComplaintMail(raw, { fromNobody: true })
      if (kind === 'none') return assert.isUndefined(report)
      assert.containsSubset(report, { type: 'bounced', hard: kind === 'hard', code, enhanced })
    })
})
