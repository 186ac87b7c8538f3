import { test } from '@japa/runner'
import { attemptResultOfError } from '../delivery/attempt_result.js'

type Row = [command: string, hard: boolean, response: string]

test.group('Replies of mail servers to a message', () => {
  test('reply to {0}, hard bounce = {1}: {2}')
    .with<Row[]>([
      ['MAIL FROM', false, '550 5.1.0 Domain of address b-0123@mail.example.com does not exist'],
      ['MAIL FROM', false, '550 5.1.1 <b-0123@mail.example.com>: User unknown'],
      ['MAIL FROM', false, '550 Address b-0123@mail.example.com not found'],
      ['DATA', false, '550 5.6.0 Message for recipient rejected: invalid MIME structure'],
      ['DATA', false, '550 5.0.0 User unknown'],
      ['DATA', false, '550 User unknown'],
      ['DATA', true, '550 5.1.1 User unknown'],
      ['RCPT TO', true, '550 5.0.0 User unknown'],
      ['RCPT TO', true, '554 User unknown'],
      ['RCPT TO', true, '550 5.7.1 No such user!'],
      ['RCPT TO', false, '550 5.7.1 Your address was not found in the members of this group'],
      ['RCPT TO', false, '550 5.7.1 Delivery to this address is disabled for external mail'],
      ['RCPT TO', true, '550 No'],
      ['RCPT TO', true, '550 5.0.0 <ana@dns.example>: User unknown'],
      ['RCPT TO', true, '550 <ana@spam.example>: Rejected'],
      ['RCPT TO', true, '550 5.0.0 Mailbox for service@firm.example does not exist'],
      ['RCPT TO', true, '550 5.0.0 The address you entered is invalid'],
      ['RCPT TO', false, '550 Rejected, see https://dnsbl.example, your host is blocked'],
      ['RCPT TO', false, '554 5.0.0 <accounts@firm.example>... Service unavailable'],
      ['RCPT TO', false, "554 5.3.0 The recipient's mail server is unavailable"],
      ['RCPT TO', false, '554 5.4.0 Mailbox server unavailable'],
      ['RCPT TO', false, '554 5.0.0 Mailbox.firm.example unavailable'],
      ['RCPT TO', false, '554 5.0.0 Recipient rejected: unknown error'],
      ['RCPT TO', false, '554 5.0.0 Recipient not accepted. Site unavailable'],
    ])
    .run(({ assert }, [command, hard, response]) => {
      const responseCode = Number(response.slice(0, 3))
      const error = Object.assign(new Error(response), { command, response, responseCode })
      assert.containsSubset(attemptResultOfError(error, false), { outcome: 'refused', hard })
    })
})
