//! The defects that can be planted in the proxy.
//!
//! Owns their names, and whose report each is modelled on; none is on by default. What each
//! changes stands where the correct code decides, and what only a defect needs in `cursors`,
//! `reshaping` and `sending_again`.

use seamstress_defects::defects;

defects! { "the reference proxy":
    /// Forwards a request to resume without its `Last-Event-ID`, so that it reaches the server as
    /// a request to listen anew. Read in the source of agentgateway, which ignores the header and
    /// opens a new GET upstream.
    DropsLastEventId = "drops-last-event-id";
    /// Forwards `Last-Event-ID` of a session only to the replica that began it; to any other a
    /// request to resume goes on as a request to listen anew. Read in the source of agentgateway:
    /// on another replica it rebuilds a session for a POST and not for a GET.
    DropsCursorOnOtherReplica = "drops-cursor-on-other-replica";
    /// Puts the id of the event before in the place of the cursor, as a hop would that caches
    /// `Last-Event-ID` and brings it up to date too late. The rule names it: a proxy must not
    /// rewrite the header. No report of it is known.
    RewritesLastEventId = "rewrites-last-event-id";
    /// Keeps one cursor for a session, that of the event that came last on any of its streams, and
    /// resumes with it whatever the client's cursor is. Read in the source of Envoy AI Gateway,
    /// which has one slot for a backend; praxis-proxy/ai issue 143 asks for a vector instead.
    ScalarCursor = "scalar-cursor";
    /// Leaves the `id` lines of events out, so that no client has anything to resume with. Read in
    /// the sources of agentgateway and Docker's MCP gateway.
    StripsEventIds = "strips-event-ids";
    /// Numbers the events of each stream 1, 2, 3, … in the place of their ids, and takes a cursor
    /// for the event of any stream that got the number last. Reported as envoyproxy/envoy issue
    /// 43072: merged ids without a namespace.
    NumbersEventIds = "numbers-event-ids";
    /// Normalises line ends read by read: CR and LF that arrive in two reads become two line ends,
    /// and an event is dispatched between its id and its data. Read in the source of Envoy AI
    /// Gateway.
    SplitsCrLf = "splits-crlf";
    /// Puts a blank line after an event that broke off in front of its data, so that the client
    /// takes the id for one that it has processed. Read in the source of Envoy AI Gateway, whose
    /// reader gives out what is left at the end of a stream.
    CompletesCutEvents = "completes-cut-events";
    /// Sends the newest event of a stream that it still has in its buffer again when the client
    /// resumes, before what the server replays. Reported for proxies that flush a buffer after the
    /// reconnection (java-sdk issue 848, nginx/nginx issue 1505).
    ReplaysItsBuffer = "replays-its-buffer";
    /// Holds events back until a page of 4096 bytes is full or the response ends. Measured with
    /// nginx before 1.29.7, for answers that end with their connection.
    BuffersPages = "buffers-pages";
    /// Holds the whole of every response back until it ends, so that nothing ever comes on the
    /// standalone stream. Reported as wso2/api-platform issue 2962; the default of Azure API
    /// Management.
    BuffersResponses = "buffers-responses";
    /// Holds events back as `buffers-pages` does; when the server has been silent for 10 ms, throws
    /// away what it holds and goes on with what comes after, as a hop would that resumes upstream
    /// by itself after such a cut. nginx before 1.29.7 was measured to throw held events away when
    /// its read timeout ends a response; Docker's MCP gateway resumes upstream by itself.
    DiscardsOnIdleCut = "discards-on-idle-cut";
    /// Sends the response to a call on the standalone stream too. Reported as agentgateway issue
    /// 2373.
    CopiesResponses = "copies-responses";
    /// Listens anew beside every resumption of a call's stream, and merges what comes into it.
    /// Read in the source of Envoy AI Gateway, which sends a plain GET to every backend that the
    /// cursor does not name.
    FansOutResumptions = "fans-out-resumptions";
    /// Answers a GET with 202 and an event stream. Read in the source of Envoy AI Gateway.
    AnswersGetWith202 = "answers-get-with-202";
    /// Answers 400 where a session id is not known, so that clients never initialize again.
    /// Reported as supercorp-ai/supergateway issue 123.
    UnknownSession400 = "unknown-session-400";
    /// Answers 404 when the server's answer does not come in time, although it has forwarded the
    /// request and the session lives on. Reported for gateways whose clients cannot tell what was
    /// done from what was not (tya5/reyn issue 2600).
    NotFoundAfterForwarding = "not-found-after-forwarding";
    /// Gives a session another public id and refuses the one before, but does not say so on the
    /// response. AWS AgentCore Gateway ends its ids at a deadline that clients are not told.
    RotatesSilently = "rotates-silently";
    /// Loses the mapping of a session when a connection of it breaks. The next request begins a
    /// new session upstream, of which the client is not told. Reported as BerriAI/litellm issues
    /// 21417 and 20242.
    LosesSessionMapping = "loses-session-mapping";
    /// Sends a call again, in a new session and to the next replica, when its answer breaks off or
    /// does not come. LiteLLM begins a session upstream for each call (BerriAI/litellm issue
    /// 20242), Kong retries five times by default, and mastra-ai/mastra issue 13686 reports the
    /// like of a client.
    ResendsPost = "resends-post";
}
