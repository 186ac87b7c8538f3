/** What the worker (and tests) must know of metrics. */
import '#compute/schedules/sample_metrics'
