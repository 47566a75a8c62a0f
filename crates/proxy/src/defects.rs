//! The defects that can be planted in the proxy.
//!
//! Owns their names, and whose report each is modelled on; none is on by default. What each
//! changes stands where the correct code decides.

use seamstress_defects::defects;

defects! { "the reference proxy":
    /// Forwards a request to resume without its `Last-Event-ID`, so that it reaches the server as
    /// a request to listen anew. Reported for agentgateway, which ignores the header and opens a
    /// new GET upstream.
    DropsLastEventId = "drops-last-event-id";
}
