/** What the worker (and tests) must know of metrics. */
import '#metrics/schedules/keep_days'
import '#metrics/schedules/sample_metrics'
