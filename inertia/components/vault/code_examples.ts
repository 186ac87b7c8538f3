export type ExampleLanguage = 'curl' | 'Node' | 'PHP'
export type ExampleOperation = 'upload' | 'remove'

export const exampleLanguages: ExampleLanguage[] = ['curl', 'Node', 'PHP']

interface ExampleValues {
  vaultHost: string
  accessKeyId: number
}

const SECRET_PLACEHOLDER = 'YOUR_SECRET_KEY'

const curl = ({ vaultHost, accessKeyId }: ExampleValues): Record<ExampleOperation, string> => ({
  upload: `curl -X POST '${vaultHost}/upload' \\
  -H 'X-Access-Key-Id: ${accessKeyId}' \\
  -H 'X-Secret-Key: ${SECRET_PLACEHOLDER}' \\
  -F 'folder=photos/2026' \\
  -F 'filename=boat.jpg' \\
  -F 'file=@boat.jpg'`,
  remove: `curl -G '${vaultHost}/remove' \\
  -H 'X-Access-Key-Id: ${accessKeyId}' \\
  -H 'X-Secret-Key: ${SECRET_PLACEHOLDER}' \\
  --data-urlencode 'folder=photos/2026' \\
  --data-urlencode 'filename=boat.jpg'`,
})

const node = ({ vaultHost, accessKeyId }: ExampleValues): Record<ExampleOperation, string> => ({
  upload: `import { openAsBlob } from 'node:fs'

const form = new FormData()
form.append('folder', 'photos/2026')
form.append('filename', 'boat.jpg')
form.append('file', await openAsBlob('boat.jpg'), 'boat.jpg')

const answer = await fetch('${vaultHost}/upload', {
  method: 'POST',
  headers: { 'X-Access-Key-Id': '${accessKeyId}', 'X-Secret-Key': '${SECRET_PLACEHOLDER}' },
  body: form,
})
console.log(await answer.json())`,
  remove: `const query = new URLSearchParams({ folder: 'photos/2026', filename: 'boat.jpg' })

const answer = await fetch(\`${vaultHost}/remove?\${query}\`, {
  headers: { 'X-Access-Key-Id': '${accessKeyId}', 'X-Secret-Key': '${SECRET_PLACEHOLDER}' },
})
console.log(await answer.json())`,
})

const php = ({ vaultHost, accessKeyId }: ExampleValues): Record<ExampleOperation, string> => ({
  upload: `<?php
$request = curl_init('${vaultHost}/upload');
curl_setopt_array($request, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['X-Access-Key-Id: ${accessKeyId}', 'X-Secret-Key: ${SECRET_PLACEHOLDER}'],
    CURLOPT_POSTFIELDS => [
        'folder' => 'photos/2026',
        'filename' => 'boat.jpg',
        'file' => new CURLFile('boat.jpg'),
    ],
]);
echo curl_exec($request);`,
  remove: `<?php
$query = http_build_query(['folder' => 'photos/2026', 'filename' => 'boat.jpg']);
$request = curl_init('${vaultHost}/remove?' . $query);
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['X-Access-Key-Id: ${accessKeyId}', 'X-Secret-Key: ${SECRET_PLACEHOLDER}'],
]);
echo curl_exec($request);`,
})

/** Returns an example with the given values, sample file names and a placeholder for the secret key. */
export function codeExample(
  language: ExampleLanguage,
  work: ExampleOperation,
  values: ExampleValues
): string {
  return { curl, Node: node, PHP: php }[language](values)[work]
}
