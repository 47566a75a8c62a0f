//! The defects that can be planted in the reference client.
//!
//! Owns their names and what each is modelled on. None is on by default, each acts at one place,
//! and any of them can be combined. What they change stands where the correct code decides.

use seamstress_defects::defects;

defects! { "the reference client":
    /// Keeps one cursor for the whole session instead of one per stream; when connections break,
    /// one GET with it stands for all of them. Reported as the client's side of the incident of
    /// 2026-11-14, and as swift-sdk issue 281.
    OneCursorSlot = "one-cursor-slot";
    /// Resumes each stream by a GET of its own, but with the newest id of any stream of the
    /// session. The Swift client keeps its last event id so (swift-sdk issue 281).
    ResumesWithIdOfOtherStream = "resumes-with-id-of-other-stream";
    /// Moves the cursor when an event arrives and hands its message over a moment later; what is
    /// in hand when the connection breaks is dropped. The order of every client that parses in one
    /// task and processes in another behind a queue that belongs to the connection, as rmcp's
    /// handlers run in tasks of their own.
    CursorBeforeProcessing = "cursor-before-processing";
    /// Does not move the cursor for an event without a message, so that priming is of no use. The
    /// Java client drops events with empty data before it reads their id.
    IdOnlyEventIgnored = "id-only-event-ignored";
    /// Forgets the cursor when a resumed connection ends before it brought an id, and goes on with
    /// a GET without one (typescript-sdk issue 2499; the Go client as well).
    CursorDroppedBySilentResume = "cursor-dropped-by-silent-resume";
    /// Takes any event with empty data for one that primes, and its id, also a missing one, for
    /// the cursor: an empty event on the way resets it. The client's side of what rust-sdk
    /// issue 791 is on the server's, where a priming id leads to the wrong position.
    PrimingResetsCursor = "priming-resets-cursor";
    /// Takes the id of a block that was cut before its blank line, whose data is lost: it moves
    /// the cursor with the line. WHATWG HTML 9.2.6 discards such a block; readers that handle one
    /// line at a time do not (the flush at the end of openclaw pull request 117054).
    IdOfUnfinishedEvent = "id-of-unfinished-event";
    /// Takes a CR and a LF that came in two chunks for two line ends, and so ends an event in its
    /// middle; a half without data is dropped, with its id (eventsource-parser issue 17, on which
    /// the TypeScript client is built; openclacky pull request 489).
    CrlfSplit = "crlf-split";
    /// Ends an event at LF LF only, so that on a stream of CRLF or CR none ever comes to an end
    /// (php-sdk issue 401; vercel/ai issue 6197).
    LfOnlyDecoder = "lf-only-decoder";
    /// Runs its JSON parser on the empty data of a priming event and gives the connection up as
    /// malformed (go-sdk issue 768; python-sdk issue 1672, typescript-sdk pull request 1184).
    EmptyDataParsed = "empty-data-parsed";
    /// Takes the first message on a call's stream for its response, and leaves (rust-mcp-sdk
    /// 2.0.0: any data event ends the stream of a POST).
    FirstEventIsTheResponse = "first-event-is-the-response";
    /// Does not compare the first event after a resumption with its cursor. No client of an SDK
    /// that was looked at does.
    NoContinuityCheck = "no-continuity-check";
    /// Waits its own reconnection delay, whatever `retry` the server sent. Clients that keep
    /// `retry` in one field for all streams do so to all but one of them (TypeScript SDK).
    IgnoresRetry = "ignores-retry";
    /// Resumes without any bound, however often nothing came of it (typescript-sdk issue 2682,
    /// python-sdk issue 3257, rust-sdk issue 958).
    UnboundedReconnection = "unbounded-reconnection";
    /// Goes on resuming the stream of a call that has ended (typescript-sdk issue 2615; finished
    /// POST streams are reconnected by the clients of rust-sdk issue 659).
    ReconnectOutlivesRequest = "reconnect-outlives-request";
    /// Sends each request to resume twice, and reads both answers: the HTTP library reconnects
    /// beneath the client's own reconnection (kotlin-sdk issue 590).
    TwoResumes = "two-resumes";
    /// When a call's stream breaks, begins another session and sends the call again there instead
    /// of resuming (mastra issue 13686; its forced reconnection is pull request 10660).
    RepostInsteadOfResume = "repost-instead-of-resume";
    /// Sends the calls of a session that was not found again in the next one, also those that had
    /// begun to run. rmcp's client re-initialises and repeats its POST after 404.
    RepostAfter404 = "repost-after-404";
    /// Begins another session after the loss of one and leaves the calls of the old one waiting
    /// for ever (rust-sdk issue 914).
    ReinitOrphansCalls = "reinit-orphans-calls";
    /// Keeps the id of a session that was not found, and never begins another one
    /// (typescript-sdk issue 1708).
    StuckOn404 = "stuck-on-404";
    /// Drops the id of a session that was not found and goes on without one, instead of
    /// beginning another session: the next GET names no session (claude-code issue 62008).
    ClearOnlyOn404 = "clear-only-on-404";
    /// Takes a response without a session id for the end of the id, and sends none from then on
    /// (rust-mcp-sdk 2.0.0 lets it be overwritten even by absence).
    SessionHeaderDropped = "session-header-dropped";
    /// Sends the protocol version with POSTs and leaves it out of every GET. A client that sent
    /// none at all was oh-my-pi before pull request 8268.
    ProtocolVersionDropped = "protocol-version-dropped";
    /// Attaches the newest cursor of the session to the next call. In typescript-sdk issue 396 a
    /// cursor given to a call goes out that way.
    LastEventIdOnPost = "last-event-id-on-post";
    /// Carries the cursor of its standalone stream into the next session and begins by resuming
    /// with it: a transport that is used again resets its session id and not its cursor.
    KeepsCursorIntoNewSession = "keeps-cursor-into-new-session";
    /// Takes the whole transport down when the GET of its standalone stream fails or breaks,
    /// although that stream is optional; calls in flight are told nothing and wait for ever
    /// (typescript-sdk issue 2517, LibreChat issue 14351).
    GetFailureIsFatal = "get-failure-is-fatal";
    /// Ends without closing its standalone stream and without DELETE (java-sdk issue 1021,
    /// supergateway issue 160).
    LeavesStreamOpen = "leaves-stream-open";
}
