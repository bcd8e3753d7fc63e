use super::*;

fn service() -> Service {
    Service {
        command: [
            "/opt/my tools/pi-brain",
            "--session-dir",
            "/data/100%/$x",
            "up",
            "--port",
            "8765",
        ]
        .map(str::to_owned)
        .to_vec(),
        variables: vec![("PI_BRAIN_HOME", "/data/\"brain\" & <more>".to_owned())],
    }
}

#[test]
fn a_unit_for_systemd() {
    insta::assert_snapshot!(service().systemd_unit(), @r##"
    [Unit]
    Description=pi-brain: takes pi sessions in as they are written

    [Service]
    ExecStart="/opt/my tools/pi-brain" "--session-dir" "/data/100%%/$$x" "up" "--port" "8765"
    Environment="PI_BRAIN_HOME=/data/\"brain\" & <more>"
    Restart=on-failure
    RestartSec=5
    Nice=10
    UMask=0077
    NoNewPrivileges=yes

    [Install]
    WantedBy=default.target
    "##);
}

#[test]
fn an_agent_for_launchd() {
    insta::assert_snapshot!(service().launchd_agent(), @r##"
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>Label</key>
      <string>pi-brain</string>
      <key>ProgramArguments</key>
      <array>
        <string>/opt/my tools/pi-brain</string>
        <string>--session-dir</string>
        <string>/data/100%/$x</string>
        <string>up</string>
        <string>--port</string>
        <string>8765</string>
      </array>
      <key>EnvironmentVariables</key>
      <dict>
        <key>PI_BRAIN_HOME</key>
        <string>/data/"brain" &amp; &lt;more&gt;</string>
      </dict>
      <key>RunAtLoad</key>
      <true/>
      <key>KeepAlive</key>
      <dict>
        <key>SuccessfulExit</key>
        <false/>
      </dict>
      <key>ProcessType</key>
      <string>Background</string>
    </dict>
    </plist>
    "##);
}

#[test]
fn a_word_that_would_end_its_line_is_refused() {
    assert!(plain("a\nExecStartPost=b".into()).is_err());
}
