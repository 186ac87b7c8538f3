export type ExampleLanguage = 'curl' | 'Node' | 'PHP' | 'Python'

export const exampleLanguages: ExampleLanguage[] = ['curl', 'Node', 'PHP', 'Python']

interface ExampleValues {
  mailHost: string
  accessKeyId: number
  /** Sender address. Default: an example address. */
  email?: string
}

const SECRET_PLACEHOLDER = 'YOUR_SECRET_KEY'
const SAMPLE_SENDER = 'orders@example.com'

const curl = ({ mailHost, accessKeyId, email = SAMPLE_SENDER }: ExampleValues) =>
  `curl -X POST '${mailHost}/send-mail' \\
  -H 'X-Access-Key-Id: ${accessKeyId}' \\
  -H 'X-Secret-Key: ${SECRET_PLACEHOLDER}' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "sender_email": "${email}",
    "sender_name": "My Shop",
    "recipient_email": "ann@example.com",
    "recipient_name": "Ann",
    "subject": "Your order is on its way",
    "mail_body": "<p>Hello Ann, your order left today.</p>"
  }'`

const node = ({ mailHost, accessKeyId, email = SAMPLE_SENDER }: ExampleValues) =>
  `const answer = await fetch('${mailHost}/send-mail', {
  method: 'POST',
  headers: {
    'X-Access-Key-Id': '${accessKeyId}',
    'X-Secret-Key': '${SECRET_PLACEHOLDER}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    sender_email: '${email}',
    sender_name: 'My Shop',
    recipient_email: 'ann@example.com',
    recipient_name: 'Ann',
    subject: 'Your order is on its way',
    mail_body: '<p>Hello Ann, your order left today.</p>',
  }),
})
console.log(await answer.json())`

const php = ({ mailHost, accessKeyId, email = SAMPLE_SENDER }: ExampleValues) =>
  `<?php
$request = curl_init('${mailHost}/send-mail');
curl_setopt_array($request, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'X-Access-Key-Id: ${accessKeyId}',
        'X-Secret-Key: ${SECRET_PLACEHOLDER}',
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode([
        'sender_email' => '${email}',
        'sender_name' => 'My Shop',
        'recipient_email' => 'ann@example.com',
        'recipient_name' => 'Ann',
        'subject' => 'Your order is on its way',
        'mail_body' => '<p>Hello Ann, your order left today.</p>',
    ]),
]);
echo curl_exec($request);`

const python = ({ mailHost, accessKeyId, email = SAMPLE_SENDER }: ExampleValues) =>
  `import json
from urllib.request import Request, urlopen

request = Request(
    '${mailHost}/send-mail',
    method='POST',
    headers={
        'X-Access-Key-Id': '${accessKeyId}',
        'X-Secret-Key': '${SECRET_PLACEHOLDER}',
        'Content-Type': 'application/json',
    },
    data=json.dumps({
        'sender_email': '${email}',
        'sender_name': 'My Shop',
        'recipient_email': 'ann@example.com',
        'recipient_name': 'Ann',
        'subject': 'Your order is on its way',
        'mail_body': '<p>Hello Ann, your order left today.</p>',
    }).encode(),
)
print(urlopen(request).read().decode())`

/** Returns an example with the given values. The secret key is always a placeholder. */
export function codeExample(language: ExampleLanguage, values: ExampleValues): string {
  return { curl, Node: node, PHP: php, Python: python }[language](values)
}
