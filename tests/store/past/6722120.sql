-- migration 0003, by the code of commit 6722120; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-c95097a4',1700000085,'main',36.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-1339077e',1700000085,'main',36.0);
CREATE TABLE code (
	sha256 VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	stored_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_code PRIMARY KEY (sha256)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	at_s FLOAT NOT NULL, 
	last_at_s FLOAT NOT NULL, 
	ticks INTEGER NOT NULL, 
	policy VARCHAR(64) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	from_group TEXT, 
	to_group TEXT, 
	"plan" TEXT NOT NULL, 
	snapshot BLOB NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-c95097a4',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CC556DB8ED33010FD173F97AADBEE2E6CBF8337842CC7992406C70EBEB45B56FC3B679CC4ED8210121290A77A3C3E3367AE7D11CE9F6514C7BBB7BBF9DB6F771BF1C937E2F8224C2B8EFCFB8D7E7AD83DBD55F76223E2449AEF9C1A09B7E45A6A21D67E1C9583FE079182326E3B5DC44716B7D072D9DA0D544F78F86D23CE3E7CB65EB5EBC57099284C2A00315188B392C3CB2847E3E05B3DA9E79BD359B94415C44DC16B0920E98A4DA172F270ACB7BE5156362AE961D53530A392F18E8933E98DF0CD27D2C99C88B9C18E19CD5746B9AA16ECD65BAB02605B52AD358E3876336893DB9E92CCB1BA04183E968783CF61959F94CD247D279319E9AA315F2FD465425080FD8183A826A54DBA30297781F1C95BA3F9D8504CB2C041DA99676A657DBC5A9B06150B52CDD988FC403FBB64ACAC0417F3B0D77202651F942EF40E3B2E89640804C4FB3BBC1C3DCC46354E96966C4D81B4891565E61EE09D0A892110E09CA69C622559DC0260C8CE19D77365E566340929952ABD2AC962FF84CA28F8FB9BFC89E33D27AF541C40E40ABA30EC208D43055CCBB0657BAB9F14A3EAA9BA058791C5F556E710C8D563A9BB3927AF7254236BBD5676FB2583357195E8298BE36EBB7F6043A30F17D91B7456E9B17ECA52FBCCE8CB6904A6BDA6ED120DD0A013A83A5FE3CC6645371DF6DC6566BCA1F0833383B2DDD593FFE84807E1EAC81DDBFD578E7C6425A3974CF14CC308F15D47A1D4C18BB869999F3378ED3DEFDEB45486DC467CF5AE6A0B94CD4D13A35A39DFE84AD3CA2EF8B1D4F2E313BEC7FBB9967D13299C7E51E8119342337842FBC0143DA3BCA37C6D81A3CB4CF6BF63B2A6FF4F68DCFF331A87DFD1588BE74F683CFD7516A83060987536C4B3C1B2A9D37B50AEAF5713C6C9BC23F0708742B4D8343C1679EB849ED7DD6E7BC78BD3DBD69F1DBBF438FB928241F19F8D831CD277AB849D89830AB434F86C5E4E2A4792A87C1F18E481211AEFD355746011E3C9D5D23CEA4BB7F0B295682216BF5B6315A7F9FDEBEBC3E22096B519F3281B632DE2190BC7D54BAC3BC20C47EA3A65236D4420A579865F27F31A554C04EC0E4DD8C6ED52265856EAA48C558DA53992ADCF4D59FF37871A580C8028B54ACAFA5E7EC65F1C8435854C4C370DD86F2CE0871C90929A6FDF019A2006BD');
INSERT INTO "decisions" VALUES(2,'job-1339077e',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CC556DB8EDB380CFD173DA7412ED3994EBE63DF8A42906DDA562B4B5E5D924907FDF73D942D25B34551A0405B3F459474C8431E917915D65D6410A7FDD36EF90EDBDD467C768D38BD0ADD8913FF7EB73F1E9F774F4F243622CCD4F29E551361377AA5ADB603765A374DCAE2CAC7C5BA9DAFE2139B3B1CB4C9988D207BC6DD6F1B7171FE8B71AA2B1BE375263F2B0FD0483E2C872C6E0639698BF0EA4ABDDCAD2ECA46AA2076F6AE95009236FB142A4587C006E31A6564A3623B96B31A6E54D4CE3277E6BD11AEF94C6DD467627AF0A327FD95516E473376E78C511EB01DA9CE684B9CBE05B449DD4051A65043020C2FF3C5D1255FEC67651249D7CBA827BA9D58B657EA322229C0FEC84954B36A75BC32297B85F3D919DDF2B2A110658683B5D72FD4C97AB9789B471532522DDB84FAE07CB2511B5909AEEEE1AFE302CAC1AB36D33BEE5815511308887FF6B83939B80D6A9A0DADD59A3DB53A549485BB4774CA47864082539C530C95640E0B803ED955422135938E28A954F18D2AB3FF339491F10F77F513A7072E5ED1A12CA02BC31ED63056C022C38EFD9538290435500D0B01A38A65B74DDE93ADCBACBBA5266F6A54336B5CABCCF6DF04D6C42A69E7244EBBEDE13D3B9A9CBFCA41E371E56736CC49B62E31FABA9A80696E65BB060D349CF15483AF7966B7A29F8F077E657ABAA3F0BF604665FA5B247F31901EC612C89EFDFEA9403EF121DDAE95E2B68616E2FA9E7CD6C1ABB87B32DF57F0F6F69C7DD7516E721BF1D5D97A5A4036778F186AE57AE355EA4EF6DE4D59CB8FCFF81E1F162DBB26903FFF40E8019DA2CDDD15CF07AEE805F20EF2AD07CE2E3339FC8C4929FFAFD078F863348E3FA351C4F32B349E7F3B0B280C18BAF48670D11836B57B8FCA0E756B463B5966042EEE20448349C36D91A78E1F78DCEDB67B1E9CCE74EE6239A4C72596E835C47FD11676583F140B071346E5697DE08B7B39AB144842F9CE33C87B86689C8B37D3914D8C278BA7A5D5E7D7C2C356E211B1F943C9559897FB6FB78F6B8018D67A4A936CB431C867C81C4B941877841E8ED2F5CA04DA084FAAE51E7EEBCC25ABE808981D2D611A77AB4C30ACD45969A31A434B263B979A3CFEEF1635B1680041B62A2AE306F905FF7290D6E81331DD3862BEB1812F72427269BEFD07FDCA07E6');
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at_s FLOAT NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1700000300.0,NULL,NULL,'price','local.half on-demand local: $0.36/h is now $0.72/h','{"before_usd_per_h": 0.36, "usd_per_h": 0.72}');
INSERT INTO "events" VALUES(2,1700000000.0,'job-c95097a4',NULL,'job_submitted','job ended submitted, to run on T1','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-c95097a4',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-c95097a4',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-c95097a4','node-102b77e6','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-c95097a4','node-102b77e6','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-c95097a4','node-10f6a518','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-c95097a4','node-10f6a518','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-c95097a4',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-c95097a4',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-c95097a4',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-c95097a4','node-102b77e6','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-c95097a4','node-102b77e6','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-c95097a4','node-10f6a518','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-c95097a4','node-10f6a518','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-c95097a4',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-c95097a4',NULL,'job_phase','job ended is cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-1339077e',NULL,'job_submitted','job training submitted, to run on T1','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-1339077e',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-1339077e',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-1339077e','node-3ec7aa92','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-1339077e','node-3ec7aa92','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-1339077e','node-3ff7e758','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-1339077e','node-3ff7e758','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-1339077e',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-1339077e',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-1339077e',NULL,'note','a note of training','{}');
CREATE TABLE generations (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	node_ids TEXT NOT NULL, 
	members TEXT NOT NULL, 
	rdzv_endpoint VARCHAR(128) NOT NULL, 
	started_at_s FLOAT NOT NULL, 
	drain_at_s FLOAT, 
	ended_at_s FLOAT, 
	first_step_at_s FLOAT, 
	last_step_at_s FLOAT, 
	hangs BOOLEAN NOT NULL, world_size INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-c95097a4',1,'["node-102b77e6", "node-10f6a518"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-1339077e',1,'["node-3ec7aa92", "node-3ff7e758"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
CREATE TABLE identity (
	id INTEGER NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_identity PRIMARY KEY (id)
);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	asked_by VARCHAR(32) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind_node_id UNIQUE (token, kind, node_id)
);
INSERT INTO "intents" VALUES(1,'09e3d73a9ff67e6e63c6e98857e7e0fd','launch','node-102b77e6','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'eb473ecfc602fac88d88c825cc5a1f56','launch','node-10f6a518','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'09e3d73a9ff67e6e63c6e98857e7e0fd','terminate','node-102b77e6','09e3d73a9ff67e6e63c6e98857e7e0fd','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'eb473ecfc602fac88d88c825cc5a1f56','terminate','node-10f6a518','eb473ecfc602fac88d88c825cc5a1f56','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'16abbb27a3daf70726659f96902da080','launch','node-3ec7aa92','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'60cfa2854682eb00b7bcb114f6bfbfa7','launch','node-3ff7e758','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE jobs (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration BIGINT NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	newest_round BIGINT NOT NULL, 
	claimed_round BIGINT NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	code VARCHAR(64), 
	failures INTEGER NOT NULL, 
	failed_iteration BIGINT NOT NULL, 
	longest_pause_s FLOAT, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-c95097a4','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":3,"outputs":null}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended');
INSERT INTO "jobs" VALUES(2,'job-1339077e','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":3,"outputs":null}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training');
CREATE TABLE ledger (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	price_id INTEGER NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	from_s FLOAT NOT NULL, 
	to_s FLOAT, 
	minimum_s FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (id), 
	CONSTRAINT fk_ledger_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_ledger_node_id FOREIGN KEY(node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_ledger_price_id FOREIGN KEY(price_id) REFERENCES prices (id)
);
INSERT INTO "ledger" VALUES(1,'job-c95097a4','node-102b77e6','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-c95097a4','node-102b77e6','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-c95097a4','node-10f6a518','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-c95097a4','node-10f6a518','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-1339077e','node-3ec7aa92','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-1339077e','node-3ec7aa92','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-1339077e','node-3ff7e758','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-1339077e','node-3ff7e758','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE nodes (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	intended_at_s FLOAT NOT NULL, 
	provider_id VARCHAR(128), 
	launched_at_s FLOAT, 
	joined_at_s FLOAT, 
	heartbeat_at_s FLOAT, 
	terminated_at_s FLOAT, 
	agent_state VARCHAR(16), 
	agent_generation INTEGER, 
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	saving_s FLOAT, 
	tier VARCHAR(8), 
	failures INTEGER NOT NULL, 
	still_s FLOAT, 
	longest_pause_s FLOAT, 
	learnt_pause_s FLOAT, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, processes INTEGER DEFAULT '1' NOT NULL, threads INTEGER DEFAULT '1' NOT NULL, image VARCHAR(64), setup_s FLOAT, setup_bytes BIGINT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id)
);
INSERT INTO "nodes" VALUES(1,'node-102b77e6','job-c95097a4','local.half','on-demand','local','terminated','09e3d73a9ff67e6e63c6e98857e7e0fd',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-10f6a518','job-c95097a4','local.half','on-demand','local','terminated','eb473ecfc602fac88d88c825cc5a1f56',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-3ec7aa92','job-1339077e','local.half','on-demand','local','joined','16abbb27a3daf70726659f96902da080',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-3ff7e758','job-1339077e','local.half','on-demand','local','joined','60cfa2854682eb00b7bcb114f6bfbfa7',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL);
CREATE TABLE past_prices (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_past_prices PRIMARY KEY (node_type, capacity, zone, valid_from_s)
);
CREATE TABLE prices (
	id INTEGER NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_prices PRIMARY KEY (id)
);
INSERT INTO "prices" VALUES(1,'local.half','on-demand','local',0.36,0.0,1699999900.0,1699999900.0,'test');
INSERT INTO "prices" VALUES(2,'local.half','on-demand','local',0.72,0.0,1700000300.0,1700000300.0,'test');
CREATE TABLE resumes (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	ending VARCHAR(24) NOT NULL, 
	resumed_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_resumes PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_resumes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-c95097a4','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
INSERT INTO "series" VALUES(2,'job-1339077e','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration BIGINT, 
	iterations BIGINT NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-c95097a4','node-102b77e6',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-c95097a4','node-102b77e6',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-c95097a4','node-102b77e6',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-c95097a4','node-102b77e6',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-c95097a4','node-102b77e6',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-c95097a4','node-102b77e6',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-c95097a4','node-102b77e6',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-c95097a4','node-102b77e6',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-c95097a4','node-102b77e6',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-c95097a4','node-102b77e6',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-c95097a4','node-102b77e6',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-c95097a4','node-102b77e6',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-c95097a4','node-102b77e6',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-c95097a4','node-102b77e6',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-c95097a4','node-102b77e6',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-c95097a4','node-102b77e6',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-c95097a4','node-102b77e6',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-c95097a4','node-102b77e6',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-c95097a4','node-102b77e6',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-c95097a4','node-102b77e6',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-c95097a4','node-102b77e6',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-c95097a4','node-102b77e6',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-c95097a4','node-102b77e6',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-c95097a4','node-102b77e6',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-c95097a4','node-102b77e6',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-c95097a4','node-102b77e6',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-c95097a4','node-102b77e6',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-c95097a4','node-102b77e6',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-c95097a4','node-102b77e6',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-c95097a4','node-102b77e6',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-c95097a4','node-102b77e6',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-c95097a4','node-102b77e6',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-c95097a4','node-102b77e6',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-c95097a4','node-102b77e6',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-c95097a4','node-102b77e6',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-c95097a4','node-102b77e6',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-c95097a4','node-102b77e6',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-c95097a4','node-102b77e6',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-c95097a4','node-102b77e6',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-c95097a4','node-102b77e6',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-c95097a4','node-102b77e6',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-c95097a4','node-102b77e6',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-c95097a4','node-102b77e6',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-c95097a4','node-102b77e6',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-c95097a4','node-102b77e6',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-c95097a4','node-102b77e6',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-c95097a4','node-102b77e6',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-c95097a4','node-102b77e6',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-c95097a4','node-102b77e6',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-c95097a4','node-102b77e6',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-c95097a4','node-102b77e6',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-c95097a4','node-102b77e6',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-c95097a4','node-102b77e6',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-c95097a4','node-102b77e6',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-c95097a4','node-102b77e6',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-c95097a4','node-102b77e6',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-c95097a4','node-102b77e6',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-c95097a4','node-102b77e6',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-c95097a4','node-102b77e6',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-c95097a4','node-102b77e6',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-c95097a4','node-102b77e6',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-c95097a4','node-102b77e6',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-c95097a4','node-102b77e6',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-c95097a4','node-102b77e6',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-c95097a4','node-102b77e6',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-c95097a4','node-102b77e6',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-c95097a4','node-102b77e6',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-c95097a4','node-102b77e6',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-c95097a4','node-102b77e6',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-c95097a4','node-102b77e6',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-c95097a4','node-102b77e6',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-c95097a4','node-102b77e6',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-c95097a4','node-102b77e6',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-c95097a4','node-102b77e6',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-c95097a4','node-102b77e6',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-c95097a4','node-102b77e6',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-c95097a4','node-102b77e6',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-c95097a4','node-102b77e6',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-c95097a4','node-102b77e6',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-c95097a4','node-102b77e6',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-c95097a4','node-102b77e6',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-c95097a4','node-102b77e6',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-c95097a4','node-102b77e6',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-c95097a4','node-102b77e6',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-c95097a4','node-102b77e6',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-c95097a4','node-102b77e6',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-c95097a4','node-102b77e6',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-c95097a4','node-102b77e6',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-c95097a4','node-102b77e6',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-c95097a4','node-102b77e6',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-c95097a4','node-102b77e6',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-c95097a4','node-102b77e6',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-c95097a4','node-102b77e6',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-c95097a4','node-102b77e6',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-c95097a4','node-102b77e6',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-c95097a4','node-102b77e6',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-c95097a4','node-102b77e6',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-c95097a4','node-102b77e6',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-c95097a4','node-102b77e6',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-c95097a4','node-102b77e6',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-1339077e','node-3ec7aa92',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-1339077e','node-3ec7aa92',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-1339077e','node-3ec7aa92',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-1339077e','node-3ec7aa92',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-1339077e','node-3ec7aa92',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-1339077e','node-3ec7aa92',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-1339077e','node-3ec7aa92',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-1339077e','node-3ec7aa92',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-1339077e','node-3ec7aa92',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-1339077e','node-3ec7aa92',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-1339077e','node-3ec7aa92',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-1339077e','node-3ec7aa92',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-1339077e','node-3ec7aa92',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-1339077e','node-3ec7aa92',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-1339077e','node-3ec7aa92',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-1339077e','node-3ec7aa92',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-1339077e','node-3ec7aa92',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-1339077e','node-3ec7aa92',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-1339077e','node-3ec7aa92',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-1339077e','node-3ec7aa92',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-1339077e','node-3ec7aa92',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-1339077e','node-3ec7aa92',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-1339077e','node-3ec7aa92',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-1339077e','node-3ec7aa92',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-1339077e','node-3ec7aa92',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-1339077e','node-3ec7aa92',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-1339077e','node-3ec7aa92',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-1339077e','node-3ec7aa92',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-1339077e','node-3ec7aa92',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-1339077e','node-3ec7aa92',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-1339077e','node-3ec7aa92',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-1339077e','node-3ec7aa92',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-1339077e','node-3ec7aa92',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-1339077e','node-3ec7aa92',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-1339077e','node-3ec7aa92',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-1339077e','node-3ec7aa92',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-1339077e','node-3ec7aa92',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-1339077e','node-3ec7aa92',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-1339077e','node-3ec7aa92',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-1339077e','node-3ec7aa92',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-1339077e','node-3ec7aa92',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-1339077e','node-3ec7aa92',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-1339077e','node-3ec7aa92',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-1339077e','node-3ec7aa92',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-1339077e','node-3ec7aa92',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-1339077e','node-3ec7aa92',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-1339077e','node-3ec7aa92',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-1339077e','node-3ec7aa92',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-1339077e','node-3ec7aa92',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-1339077e','node-3ec7aa92',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-1339077e','node-3ec7aa92',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-1339077e','node-3ec7aa92',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-1339077e','node-3ec7aa92',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-1339077e','node-3ec7aa92',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-1339077e','node-3ec7aa92',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-1339077e','node-3ec7aa92',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-1339077e','node-3ec7aa92',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-1339077e','node-3ec7aa92',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-1339077e','node-3ec7aa92',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-1339077e','node-3ec7aa92',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-1339077e','node-3ec7aa92',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-1339077e','node-3ec7aa92',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-1339077e','node-3ec7aa92',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-1339077e','node-3ec7aa92',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-1339077e','node-3ec7aa92',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-1339077e','node-3ec7aa92',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-1339077e','node-3ec7aa92',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-1339077e','node-3ec7aa92',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-1339077e','node-3ec7aa92',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-1339077e','node-3ec7aa92',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-1339077e','node-3ec7aa92',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-1339077e','node-3ec7aa92',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-1339077e','node-3ec7aa92',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-1339077e','node-3ec7aa92',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-1339077e','node-3ec7aa92',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-1339077e','node-3ec7aa92',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-1339077e','node-3ec7aa92',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-1339077e','node-3ec7aa92',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-1339077e','node-3ec7aa92',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-1339077e','node-3ec7aa92',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-1339077e','node-3ec7aa92',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-1339077e','node-3ec7aa92',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-1339077e','node-3ec7aa92',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-1339077e','node-3ec7aa92',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-1339077e','node-3ec7aa92',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-1339077e','node-3ec7aa92',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-1339077e','node-3ec7aa92',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-1339077e','node-3ec7aa92',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-1339077e','node-3ec7aa92',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-1339077e','node-3ec7aa92',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-1339077e','node-3ec7aa92',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-1339077e','node-3ec7aa92',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-1339077e','node-3ec7aa92',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-1339077e','node-3ec7aa92',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-1339077e','node-3ec7aa92',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-1339077e','node-3ec7aa92',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-1339077e','node-3ec7aa92',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-1339077e','node-3ec7aa92',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-1339077e','node-3ec7aa92',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-1339077e','node-3ec7aa92',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
COMMIT;
