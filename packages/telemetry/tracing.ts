import type { Span, Tracer } from '@opentelemetry/api'
import {
  currentTraceContext,
  newRequestId,
  type TraceContext,
  withTraceContext,
} from './trace_context.js'

/** Names as OpenTelemetry's semantic conventions have them. */
export type Attributes = Record<string, string | number | boolean | undefined>

export interface TracingOptions {
  /** What spans say they are of: `berth-web`. */
  service: string
  version: string
  /** OTEL_EXPORTER_OTLP_ENDPOINT, or …_TRACES_ENDPOINT: where OTLP is taken by HTTP. */
  endpoint?: string
}

interface Tracing {
  tracer: Tracer
  api: typeof import('@opentelemetry/api')
  stop(): Promise<void>
}

let tracing: Tracing | undefined

/** Whether spans are sent anywhere: what costs something to observe is observed only then. */
export const isTracing = () => tracing !== undefined

/**
 * Sends spans where there is somewhere to send them to; otherwise OpenTelemetry is not even loaded. Other
 * OTEL_ variables (headers, timeout, sampler, …) are read by its exporter. Returns how to stop, with what was not sent yet.
 */
export async function startTracing({
  service,
  version,
  endpoint,
}: TracingOptions): Promise<() => Promise<void>> {
  if (!endpoint) return async () => {}
  const [api, { BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  const provider = new BasicTracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': service,
      'service.version': version,
      'process.pid': process.pid,
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    idGenerator: {
      // So that who knows the number of a request finds its trace.
      generateTraceId: () => currentTraceContext()?.id ?? newRequestId(),
      generateSpanId: () => newRequestId().slice(16),
    },
  })
  tracing = {
    api,
    tracer: provider.getTracer(service, version),
    stop: () => provider.shutdown(),
  }
  return async () => {
    const stopping = tracing
    tracing = undefined
    await stopping?.stop().catch(() => {})
  }
}

/** A span that has begun; does nothing where nothing is traced. */
export interface OpenSpan {
  /** What is done for it stands below it. */
  origin: TraceContext
  name(name: string): void
  set(attributes: Attributes): void
  /** @param error what it ended with, if badly */
  end(error?: unknown): void
}

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal'

/** Begins a span below `origin`; the work itself is then done `withTraceContext(span.origin, …)`. */
export function beginSpan(
  name: string,
  attributes: Attributes,
  { origin, kind = 'internal', at }: { origin: TraceContext; kind?: SpanKind; at?: number }
): OpenSpan {
  if (!tracing) return { origin, name() {}, set() {}, end() {} }
  const { api, tracer } = tracing
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } = api
  const parent = origin.span
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: origin.id,
        spanId: origin.span,
        traceFlags: TraceFlags.SAMPLED,
        isRemote: true,
      })
    : ROOT_CONTEXT
  const kinds = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  }
  const options = { kind: kinds[kind], attributes, startTime: at }
  const span: Span = withTraceContext(origin, () => tracer.startSpan(name, options, parent))
  const { spanId, traceFlags } = span.spanContext()
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0
  return {
    // What stands below one that is not sent begins anew with the same id, of which a sampler thinks the same.
    origin: { id: origin.id, ...(isSampled && { span: spanId }) },
    name: (changed) => void span.updateName(changed),
    set: (more) => void span.setAttributes(more),
    end(error) {
      if (error !== undefined) {
        const message = error instanceof Error ? error.message : String(error)
        span.setStatus({ code: SpanStatusCode.ERROR, message })
        if (error instanceof Error) span.recordException(error)
      }
      span.end()
    },
  }
}

/** Does something in a span of its own, below what is done now. */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  {
    origin = currentTraceContext() ?? { id: newRequestId() },
    kind,
  }: { origin?: TraceContext; kind?: SpanKind } = {}
): Promise<T> {
  const span = beginSpan(name, attributes, { origin, kind })
  try {
    const result = await withTraceContext(span.origin, work)
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
