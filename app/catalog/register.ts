/** What the catalogue tells others, and what the worker does for it. */
import '#catalog/offers'
import '#catalog/schedules/renew_subscriptions'
