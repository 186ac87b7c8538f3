/** What the worker (and tests) must know of metrics. */
import '#metrics/schedules/sample_metrics'
