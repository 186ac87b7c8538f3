import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Record<string, unknown>
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface TraceBody {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

const attributeValues = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    for (const { resource, scopeSpans } of (JSON.parse(text) as TraceBody).resourceSpans) {
      const service = String(attributeValues(resource.attributes)['service.name'])
      for (const span of scopeSpans.flatMap((one) => one.spans)) {
        spans.push({ ...span, service, attributes: attributeValues(span.attributes) })
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
