#include "tests/unit/server/fixture.h"

namespace kw::server::testing {
namespace {

using Methods = ServerTest;
using base::ErrorCode;

TEST_F(Methods, TheHandshakeComesFirstAndNamesBothProtocols) {
  EXPECT_NE(refused("files/list", {{"path", ""}}).message.find("initialize"), std::string::npos);
  const auto error = refused("initialize", {{"protocol", 99}, {"client", "test"}});
  EXPECT_NE(error.message.find("99"), std::string::npos);
  EXPECT_NE(error.message.find("protocol 1"), std::string::npos);
  EXPECT_EQ(refused("files/list", {{"path", ""}}).code, ErrorCode::bad_input);   // still no handshake
  const json hello = greet();
  EXPECT_EQ(hello["engine"], "kernelwright test");
  EXPECT_EQ(hello["pid"], getpid());
  EXPECT_EQ(hello["uploads"], at("uploads"));
  EXPECT_GE(hello["devices"].size(), 1u);
}

TEST_F(Methods, BadRequestsAreAnsweredAndNothingEnds) {
  greet();
  record(at("s.kwr"));
  got("session/open", {{"path", at("s.kwr")}});
  EXPECT_EQ(refused("no/such", json::object()).code, ErrorCode::unsupported);
  EXPECT_EQ(refused("session/open", {{"path", 5}}).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("session/open", json::array({1, 2})).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("session/open", {{"path", at("none.kwr")}}).code, ErrorCode::not_found);
  EXPECT_EQ(refused("session/tree", {{"session", "elsewhere"}, {"since", nullptr}}).code, ErrorCode::not_found);
  EXPECT_EQ(refused("session/tree", {{"session", at("s.kwr")}, {"since", {{"candidates", "x"}}}}).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("session/tree", {{"session", at("s.kwr")}, {"since", 5}}).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("candidate/get", {{"session", at("s.kwr")}, {"id", "c99"}}).code, ErrorCode::not_found);
  EXPECT_EQ(refused("session/timeline", {{"session", at("s.kwr")}, {"name", "profile"}, {"start_us", "a"}, {"end_us", 1}, {"pixels", 9}}).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("run/pause", {{"session", at("s.kwr")}}).code, ErrorCode::not_found);
  EXPECT_EQ(refused("run/start", {{"path", at("none.pt2")}}).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("run/start", {{"path", at("none.pt2")}, {"target", "tpu"}}).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("run/start", json::object()).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("jobs/cancel", {{"job", "j77"}}).code, ErrorCode::not_found);
  std::ofstream(at("notes.kwr")) << std::string(300, 'x');
  EXPECT_EQ(refused("session/open", {{"path", at("notes.kwr")}}).code, ErrorCode::bad_input);
  EXPECT_EQ(got("session/open", {{"path", at("s.kwr")}})["counts"]["candidates"], 4);
}

TEST_F(Methods, NonsenseFramesEndTheConnectionWithAnError) {
  greet();
  const std::string nonsense = "GET / HTTP/1.1\r\n\r\n";
  ASSERT_EQ(write(raw_, nonsense.data(), nonsense.size()), static_cast<ssize_t>(nonsense.size()));
  thread_.join();
  EXPECT_FALSE(ended_.ok());
  EXPECT_EQ(ended_.error().code, ErrorCode::lost);
  thread_ = std::thread([] {});
}

TEST_F(Methods, ShutdownEndsTheServer) {
  greet();
  EXPECT_EQ(got("shutdown", json::object()), json::object());
  thread_.join();
  EXPECT_TRUE(ended_.ok());
  thread_ = std::thread([] {});
}

TEST_F(Methods, ASessionIsReadAsAWhole) {
  record(at("s.kwr"));
  greet();
  const json session = got("session/open", {{"path", at("./s.kwr")}});
  EXPECT_EQ(session["session"], at("s.kwr"));
  EXPECT_EQ(session["counts"], json({{"tasks", 1}, {"candidates", 4}, {"evaluations", 4}, {"failures", 1}}));
  EXPECT_EQ(session["running"], false);
  EXPECT_EQ(session["foreign"], false);
  const json params = {{"session", at("s.kwr")}};
  const json row = got("session/operators", params)["operators"][0];
  EXPECT_EQ(row["task"], "t00-softmax");
  EXPECT_EQ(row["shapes"], "f32[8, 256]");
  EXPECT_EQ(row["dtype"], "f32");
  EXPECT_EQ(row["best_candidate"], "c2");
  EXPECT_EQ(row["state"], "faster");
  EXPECT_NEAR(got("session/operators", params)["predicted_speedup"].get<double>(), 1 / 0.75, 1e-9);
  const json steps = got("session/history", params)["steps"];
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[3]["candidate"], "c3");
  EXPECT_EQ(steps[2]["verdict"], "wrong_result");
  EXPECT_FALSE(steps[2].contains("speedup"));
  const json group = got("session/failures", params)["groups"][0];
  EXPECT_EQ(group["count"], 1);
  EXPECT_EQ(group["members"][0]["summary"], "output 0 differs");
  EXPECT_EQ(got("session/timelines", params)["timelines"][0]["events"], 3);
  const json tracks = got("session/timeline", {{"session", at("s.kwr")}, {"name", "profile"}, {"start_us", 0}, {"end_us", 30}, {"pixels", 3}})["tracks"];
  EXPECT_EQ(tracks[0]["events"], json::parse(R"([["a", 0.0, 10.0, 3, 1], ["c", 20.0, 3.5, 5, 2]])"));
  EXPECT_EQ(got("session/summary", params)["schema"], "kernelwright.optimize/1");
  EXPECT_EQ(got("session/close", params), json::object());
  EXPECT_EQ(refused("session/history", params).code, ErrorCode::not_found);
}

TEST_F(Methods, ACandidateIsReadInFull) {
  record(at("s.kwr"));
  greet();
  got("session/open", {{"path", at("s.kwr")}});
  const json c = got("candidate/get", {{"session", at("s.kwr")}, {"id", "c2"}});
  EXPECT_EQ(c["recipe"], json({{"generator", "0"}, {"vector.k0", "8"}}));
  EXPECT_EQ(c["parents"][0]["parent"], "c1");
  EXPECT_EQ(c["children"], json::array({"c4"}));
  EXPECT_EQ(c["language"], "cpp");
  EXPECT_EQ(c["plan"]["workspace_bytes"], 32);
  EXPECT_EQ(c["hash"].get<std::string>().size(), 64u);
  EXPECT_EQ(c["evaluations"][0]["outcome"], "faster");
  const json diff = got("candidate/diff", {{"session", at("s.kwr")}, {"a", "c1"}, {"b", "c2"}});
  EXPECT_NE(diff["unified"].get<std::string>().find("-// h1\n+// h2\n"), std::string::npos);
}

TEST_F(Methods, FilesAreListedReadInPartsAndWrittenBelowTheUploadsOnly) {
  greet();
  fs::create_directory(at("b"));
  std::ofstream(at("a.txt")) << "0123456789";
  const json list = got("files/list", {{"path", folder_.string()}});
  EXPECT_EQ(list["parent"], folder_.parent_path().string());
  EXPECT_EQ(list["entries"][0]["name"], "b");
  EXPECT_EQ(list["entries"][1]["bytes"], 10);
  EXPECT_EQ(refused("files/list", {{"path", at("none")}}).code, ErrorCode::not_found);
  const json part = got("files/read", {{"path", at("a.txt")}, {"offset", 2}, {"bytes", 3}});
  EXPECT_EQ(part, json({{"text", "234"}, {"offset", 2}, {"size", 10}, {"truncated", true}}));
  EXPECT_EQ(got("files/read", {{"path", at("a.txt")}, {"offset", 99}, {"bytes", 3}})["text"], "");
  EXPECT_EQ(refused("files/read", {{"path", "/dev/zero"}, {"offset", 0}, {"bytes", 3}}).code, ErrorCode::not_found);
  EXPECT_EQ(refused("files/read", {{"path", at("a.txt")}, {"offset", -1}, {"bytes", 3}}).code, ErrorCode::bad_input);
  EXPECT_EQ(got("files/write", {{"path", "m/model.py"}, {"base64", "aGVs"}, {"append", false}})["bytes"], 3);
  EXPECT_EQ(got("files/write", {{"path", at("uploads/m/model.py")}, {"base64", "bG8="}, {"append", true}})["bytes"], 5);
  std::ifstream written(at("uploads/m/model.py"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), "hello");
  for (const char* path : {"../x.py", "/etc/x.py", "", "."}) EXPECT_EQ(refused("files/write", {{"path", path}, {"base64", "aGVs"}}).code, ErrorCode::bad_input) << path;
  EXPECT_EQ(refused("files/write", {{"path", "y.py"}, {"base64", "not base64!"}}).code, ErrorCode::bad_input);
}

TEST_F(Methods, AReviewIsVoidWhenTheCandidateIsAnother) {
  record(at("s.kwr"));
  greet();
  const json params = {{"session", at("s.kwr")}, {"candidate", "c2"}, {"decision", "approved"}, {"comment", "fine"}, {"reviewer", "ada"}};
  const json review = got("review/set", params);
  EXPECT_EQ(review["void"], false);
  EXPECT_EQ(review["date"].get<std::string>().size(), 20u);
  {
    auto session = store::Session::open(at("s.kwr"), store::Session::Access::write);
    EXPECT_TRUE(session->add_review({"c1", "rejected", "", "bob", "", "another hash"}).ok());
  }
  const json all = got("review/list", {{"session", at("s.kwr")}})["reviews"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], review);
  EXPECT_EQ(all[1]["void"], true);
  json wrong = params;
  wrong["decision"] = "maybe";
  EXPECT_EQ(refused("review/set", wrong).code, ErrorCode::bad_input);
}

TEST_F(Methods, APythonModelRunsOnlyWhenAgreedTo) {
  greet();
  std::ofstream(at("model.py")) << "# a model\n";
  EXPECT_EQ(refused("run/start", {{"path", at("model.py")}}).context, "trust");
  EXPECT_EQ(refused("model/profile", {{"path", at("model.py")}}).context, "trust");
  const json check = got("trust/check", {{"path", at("model.py")}});
  EXPECT_EQ(check["trusted"], false);
  EXPECT_EQ(refused("trust/grant", {{"sha256", "abc"}}).code, ErrorCode::bad_input);
  got("trust/grant", {{"sha256", check["sha256"]}});
  EXPECT_EQ(got("trust/check", {{"path", at("model.py")}})["trusted"], true);
  std::ofstream(at("model.py"), std::ios::app) << "# changed\n";
  EXPECT_EQ(got("trust/check", {{"path", at("model.py")}})["trusted"], false);
}

TEST_F(Methods, MarksOfASessionAtRestAreKeptAndTold) {
  record(at("s.kwr"));
  greet();
  got("session/open", {{"path", at("s.kwr")}});
  const json version = got("session/tree", {{"session", at("s.kwr")}, {"since", nullptr}})["version"];
  got("run/steer", {{"session", at("s.kwr")}, {"action", "pin"}, {"candidate", "c3"}});
  const json delta = got("session/tree", {{"session", at("s.kwr")}, {"since", version}});
  ASSERT_EQ(delta["nodes"].size(), 1u);
  EXPECT_EQ(delta["nodes"][0]["pinned"], true);
  told("session/changed", [&](const json& p) { return p["version"] == delta["version"]; });
  EXPECT_EQ(refused("run/steer", {{"session", at("s.kwr")}, {"action", "praise"}, {"candidate", "c3"}}).code, ErrorCode::bad_input);
  EXPECT_EQ(refused("run/steer", {{"session", at("s.kwr")}, {"action", "pin"}, {"candidate", "c9"}}).code, ErrorCode::not_found);
  EXPECT_EQ(refused("run/steer", {{"session", at("s.kwr")}, {"action", "expand"}, {"candidate", "c3"}}).code, ErrorCode::not_found);
}

}  // namespace
}  // namespace kw::server::testing
