//! What counts as one JSON-RPC message, and how messages are written.

use std::collections::BTreeMap;

use super::*;

fn kind(text: &str) -> Result<&'static str, MessageError> {
    Ok(match parse(text.as_bytes())? {
        Message::Request { .. } => "request",
        Message::Notification { .. } => "notification",
        Message::Response { .. } => "response",
        Message::Error { .. } => "error",
    })
}

fn id(text: &str) -> Result<RequestId<'_>, serde_json::Error> {
    serde_json::from_str(text)
}

#[test]
fn the_four_kinds_are_told_apart_by_their_members() {
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), Ok("request"));
    assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"x","params":{}}"#), Ok("notification"));
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":"a","result":{}}"#), Ok("response"));
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}"#;
    assert_eq!(kind(error), Ok("error"));
}

#[test]
fn a_message_of_no_kind_or_of_two_kinds_is_refused() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
    ] {
        assert_eq!(kind(text), Err(MessageError::NotOneKind), "{text}");
    }
}

#[test]
fn an_absent_id_makes_a_notification_and_a_null_id_an_error() {
    assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"x"}"#), Ok("notification"));
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#), Err(MessageError::NoId));
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":null,"result":{}}"#), Err(MessageError::NoId));
    assert_eq!(kind(r#"{"jsonrpc":"2.0","result":{}}"#), Err(MessageError::NoId));
}

#[test]
fn an_error_answer_may_lack_the_id_it_could_not_read() {
    for id in ["", r#""id":null,"#] {
        let text = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"m"}}}}"#);
        let Message::Error { id, code, .. } = parse(text.as_bytes()).unwrap() else { panic!() };
        assert_eq!((id, code), (None, code::PARSE_ERROR));
    }
}

#[test]
fn a_result_of_null_is_still_a_result() {
    let text = r#"{"jsonrpc":"2.0","id":1,"result":null}"#;
    let Message::Response { result, .. } = parse(text.as_bytes()).unwrap() else { panic!() };
    assert_eq!(result.get(), "null");
}

#[test]
fn a_batch_has_an_error_of_its_own() {
    for text in ["[]", " \r\n\t[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"] {
        assert_eq!(kind(text), Err(MessageError::Batch));
    }
}

#[test]
fn the_empty_data_of_a_priming_event_has_an_error_of_its_own() {
    for text in ["", " ", "\n"] {
        assert_eq!(kind(text), Err(MessageError::Empty));
    }
}

#[test]
fn other_versions_of_json_rpc_are_refused() {
    for text in [
        r#"{"method":"x"}"#,
        r#"{"jsonrpc":null,"method":"x"}"#,
        r#"{"jsonrpc":"1.0","method":"x"}"#,
    ] {
        assert_eq!(kind(text), Err(MessageError::NotVersion2), "{text}");
    }
}

#[test]
fn broken_bytes_are_refused_and_never_panic() {
    let whole = br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,"\u00e9"]}}"#;
    for end in 0..whole.len() {
        assert!(parse(&whole[..end]).is_err(), "prefix of {end} bytes");
    }
    for bytes in [&b"\xff"[..], b"null", b"7", b"\"x\"", b"{\"id\":1,\"id\":1}", b"{}{}"] {
        assert!(parse(bytes).is_err(), "{bytes:?}");
    }
}

#[test]
fn an_id_is_a_string_or_an_integer_and_nothing_else() {
    assert_eq!(id("-9223372036854775808").unwrap(), RequestId::Number(i64::MIN));
    assert_eq!(id(r#""7""#).unwrap(), RequestId::from("7"));
    assert_eq!(id(r#""\u0037""#).unwrap(), RequestId::from("7"));
    for other in ["null", "1.0", "9223372036854775808", "true", "[]", "{}"] {
        assert!(id(other).is_err(), "{other}");
    }
    for json in ["-7", r#""a\"b""#] {
        assert_eq!(serde_json::to_string(&id(json).unwrap()).unwrap(), json);
    }
}

#[test]
fn reading_borrows_the_method_and_the_id() {
    let message = parse(br#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#).unwrap();
    assert!(matches!(
        message,
        Message::Request {
            id: RequestId::Text(Cow::Borrowed("a")),
            method: Cow::Borrowed("ping"),
            params: None
        }
    ));
}

#[test]
fn what_is_written_reads_back() {
    let name = RequestId::from("a\"b");
    let text = request(&name, "x/y", &BTreeMap::from([("k", "…")])).unwrap();
    let Message::Request { id, method, params } = parse(text.as_bytes()).unwrap() else { panic!() };
    assert_eq!((id, method.as_ref()), (name, "x/y"));
    assert_eq!(params.unwrap().get(), r#"{"k":"…"}"#);

    let text = response(&RequestId::from(3), &Empty {}).unwrap();
    assert_eq!(text, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);

    let text = error(None, code::PARSE_ERROR, "no \"JSON\"", &()).unwrap();
    let Message::Error { id, message, data, .. } = parse(text.as_bytes()).unwrap() else {
        panic!()
    };
    assert_eq!((id, message.as_ref(), data.is_none()), (None, "no \"JSON\"", true));

    let text = error(Some(&RequestId::from(3)), 1, "m", &[1]).unwrap();
    let expected = r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"m","data":[1]}}"#;
    assert_eq!(text, expected);

    let text = notification(method::INITIALIZED, &()).unwrap();
    assert_eq!(text, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
}

#[test]
fn a_value_that_json_cannot_hold_is_an_error() {
    let keyed_by_pairs = BTreeMap::from([((1, 2), 3)]);
    let written = notification("x", &keyed_by_pairs);
    assert!(matches!(written, Err(MessageError::Unwritable { .. })), "{written:?}");
}

#[test]
fn an_initialize_exchange_keeps_the_names_of_the_schema() {
    let params = InitializeParams {
        protocol_version: "2025-11-25".into(),
        capabilities: ClientCapabilities {},
        client_info: Implementation { name: "c".into(), version: "1".into() },
    };
    let json = serde_json::to_string(&params).unwrap();
    let expected = concat!(
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"#,
        r#""clientInfo":{"name":"c","version":"1"}}"#
    );
    assert_eq!(json, expected);
    assert_eq!(serde_json::from_str::<InitializeParams>(&json).unwrap(), params);

    let result = InitializeResult {
        protocol_version: "2025-11-25".into(),
        capabilities: ServerCapabilities { tools: Some(Empty {}), logging: None },
        server_info: Implementation { name: "s".into(), version: "1".into() },
        meta: Some(SessionMeta { session: Some("s1".to_owned()) }),
    };
    let json = serde_json::to_string(&result).unwrap();
    let expected = concat!(
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"#,
        r#""serverInfo":{"name":"s","version":"1"},"_meta":{"seamstress/session":"s1"}}"#
    );
    assert_eq!(json, expected);
    assert_eq!(serde_json::from_str::<InitializeResult>(&json).unwrap(), result);
}

#[test]
fn a_foreign_initialize_result_is_read_without_what_we_do_not_use() {
    let json = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},
        "experimental":{}},"serverInfo":{"name":"s","title":"S","version":"1"},"instructions":"i",
        "_meta":{"other/key":1}}"#;
    let result: InitializeResult = serde_json::from_str(json).unwrap();
    assert_eq!(result.meta, Some(SessionMeta { session: None }));
    assert_eq!(result.capabilities.tools, Some(Empty {}));
}

#[test]
fn a_call_carries_its_arguments_unread_and_its_token_as_sent() {
    let json = r#"{"name":"count","arguments":{"events": 3},"_meta":{"progressToken":7}}"#;
    let call: CallToolParams = serde_json::from_str(json).unwrap();
    assert_eq!(call.arguments.unwrap().get(), r#"{"events": 3}"#);
    assert_eq!(call.meta.as_ref().unwrap().progress_token, Some(ProgressToken::from(7)));
    assert_eq!(serde_json::to_string(&call).unwrap(), json);

    let bare: CallToolParams = serde_json::from_str(r#"{"name":"ping_pong"}"#).unwrap();
    assert!(bare.arguments.is_none() && bare.meta.is_none());
    assert_eq!(serde_json::to_string(&bare).unwrap(), r#"{"name":"ping_pong"}"#);
}

#[test]
fn an_owned_id_equals_the_borrowed_one() {
    for id in [RequestId::from(1), RequestId::from("x")] {
        assert_eq!(id.clone().into_owned(), id);
    }
}
