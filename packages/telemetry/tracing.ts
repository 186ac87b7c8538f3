import type { Span, Tracer } from '@opentelemetry/api'
import {
  currentTraceContext,
  newRequestId,
  type TraceContext,
  withTraceContext,
} from './trace_context.js'

/** The names follow OpenTelemetry's semantic conventions. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>

export interface TracingOptions {
  /** Such as `berth-web`. */
  service: string
  version: string
  /**
   * OTEL_EXPORTER_OTLP_ENDPOINT or …_TRACES_ENDPOINT, the URL of the OTLP/HTTP collector. Only turns tracing on: the
   * exporter reads the URL from these variables itself.
   */
  endpoint?: string
}

interface Tracing {
  tracer: Tracer
  api: typeof import('@opentelemetry/api')
  stop(): Promise<void>
}

let tracing: Tracing | undefined

/** Check it before you collect expensive attributes. */
export const isTracing = () => tracing !== undefined

/**
 * Starts tracing. Without `endpoint`, tracing stays off and OpenTelemetry is not loaded. OpenTelemetry itself reads the
 * other OTEL_ variables (headers, timeout, sampler, …).
 * @returns a function that flushes the spans and stops
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
      // The request ID that people see is also the trace ID, so they can search for both with the same text.
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

/** A span. Its methods do nothing if tracing is off. */
export interface OpenSpan {
  /** Context for child spans. */
  origin: TraceContext
  name(name: string): void
  set(attributes: SpanAttributes): void
  end(error?: unknown): void
}

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal'

/** Starts a span as a child of `origin`. Run the work itself with `withTraceContext(span.origin, …)`. */
export function beginSpan(
  name: string,
  attributes: SpanAttributes,
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
    // The children of a span that is not sampled become root spans with the same trace ID. So the sampler decides not
    // to sample them either.
    origin: {
      id: origin.id,
      ...(origin.isRequest && { isRequest: true }),
      ...(isSampled && { span: spanId }),
    },
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

/** Runs work in a span. By default the span is a child of the current trace context. */
export async function inSpan<T>(
  name: string,
  attributes: SpanAttributes,
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
